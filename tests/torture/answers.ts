// Checks responses: whole in their format, and rows of the own tenant only.
import { BIG_ROWS } from './world.ts';

const ANY_MARKER = /tenant-[a-z]+-[0-9a-f]{8}/g;

/** Other tenants whose rows a response contains. */
export function foreignMarkers(body: Buffer, own: string): string[] {
  return [...new Set(body.toString('latin1').match(ANY_MARKER) ?? [])].filter((marker) => marker !== own);
}

export const FORMATS = ['json', 'xml', 'yaml', 'csv', 'bson'] as const;
export type FormatName = (typeof FORMATS)[number];

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

/** Problem of a response with the big table, or `undefined`. */
export function flawOfBig(format: FormatName, body: Buffer, marker: string): string | undefined {
  const text = body.toString('latin1');
  const marked = occurrences(text, marker);
  if (marked !== BIG_ROWS)
    return `${marked} of ${BIG_ROWS} rows in ${format}, ${body.length} bytes, ending ${JSON.stringify(text.slice(-40))}`;
  return ENDS[format](text, body) ? undefined : `${format} does not end as it should: ${JSON.stringify(text.slice(-40))}`;
}

const ENDS: Readonly<Record<FormatName, (text: string, body: Buffer) => boolean>> = {
  json: (text) => Array.isArray(parsed(text)),
  xml: (text) => text.trimEnd().endsWith('</response>') && occurrences(text, '<row>') === BIG_ROWS,
  yaml: (text) => (text.match(/^- /gm)?.length ?? 0) === BIG_ROWS && text.endsWith('\n'),
  csv: (text) => text.endsWith('\r\n') && occurrences(text, '\r\n') === BIG_ROWS + 1,
  bson: (_, body) => body.readInt32LE(0) === body.length && body.at(-1) === 0,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON of a response, or `undefined` if it is not JSON. */
export function jsonOf(body: Buffer): unknown {
  return parsed(body.toString('utf8'));
}
