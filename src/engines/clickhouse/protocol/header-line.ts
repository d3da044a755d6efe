/** Reads the two header lines of a result: names, then types, each a JSON array of strings. */
import { checkColumns, LIMITS, malformed } from '../../contract/limits.ts';

export function readHeaderLine(bytes: Buffer, from: number, to: number): readonly string[] {
  if (to - from > LIMITS.messageBytes) throw malformed('too many column descriptions');
  const texts = parse(bytes.toString('utf8', from, to));
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) throw malformed('columns without names or types');
  checkColumns(texts.length);
  return texts;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed('columns without names or types', error);
  }
}
