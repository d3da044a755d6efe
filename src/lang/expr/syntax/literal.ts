/** Parses number literals. */

import { MAX_INT64 } from '../values/value.ts';
import type { NodeShape } from './ast.ts';
import { SyntaxFault } from './lex.ts';

const INTEGER = /^(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+)$/;
const FLOAT = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

export function parseNumber(written: string, at: number): NodeShape {
  const text = written.replaceAll('_', '');
  if (INTEGER.test(text)) {
    const value = BigInt(/^0[0-9]/.test(text) ? text.replace(/^0+(?=.)/, '') : text);
    if (value > MAX_INT64) throw new SyntaxFault(at, `the integer ${written} is too large`);
    return { kind: 'int', value: value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value };
  }
  if (!FLOAT.test(text)) throw new SyntaxFault(at, `${written} is not a number`);
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxFault(at, `the number ${written} is too large`);
  return { kind: 'float', value };
}
