/** Parts of a request's URL that many handlers read. */
import { apiError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { formatByName } from '../formats/index.ts';
import { BadEncoding, decodePercent } from '../util/text/query.ts';

/** The format with this name, JSON without one. */
export function formatOf(name: string | undefined): Format {
  const format = formatByName(name ?? 'json');
  if (format === undefined) throw apiError('unknown_format', name ?? '');
  return format;
}

/**
 * The decoded segments of a path from `start` on. Each is decoded on its own: an encoded slash
 * remains part of it.
 */
export function pathSegments(path: string, start: number): readonly string[] {
  const segments = path.slice(start).split('/');
  return path.includes('%') ? segments.map(decodeSegment) : segments;
}

function decodeSegment(segment: string): string {
  try {
    return decodePercent(segment);
  } catch (error) {
    if (error instanceof BadEncoding) throw apiError('bad_url');
    throw error;
  }
}
