/**
 * Scans number literals: decimal, hexadecimal, octal and binary integers of any size, and floats.
 */

import { normalInt } from '../values/int.ts';
import { SyntaxProblem } from './syntax-problem.ts';

const BASED = /0(?:[xX]([0-9a-fA-F]*)|[oO]([0-7]*)|[bB]([01]*))/y;
const DECIMAL = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d*)?/y;

export interface ScannedNumber {
  readonly kind: 'int literal' | 'float literal';
  readonly value: number | bigint;
  readonly end: number;
}

export function scanNumber(text: string, at: number): ScannedNumber {
  BASED.lastIndex = at;
  const based = BASED.exec(text);
  if (based !== null) {
    const digits = based[1] ?? based[2] ?? based[3] ?? '';
    const name = based[1] !== undefined ? 'hex' : based[2] !== undefined ? 'octal' : 'binary';
    if (digits === '') throw new SyntaxProblem(at, `invalid ${name} literal`);
    return { kind: 'int literal', value: normalInt(BigInt(based[0].toLowerCase())), end: BASED.lastIndex };
  }
  DECIMAL.lastIndex = at;
  const literal = DECIMAL.exec(text)?.[0] ?? '';
  const end = at + literal.length;
  if (/[.eE]/.test(literal)) return { kind: 'float literal', value: floatValue(literal, at), end };
  if (/^0\d/.test(literal) && /[1-9]/.test(literal)) {
    throw new SyntaxProblem(at, `obsolete form of octal literal; use 0o${literal.slice(1)}`);
  }
  return { kind: 'int literal', value: literal.length < 16 ? Number(literal) : normalInt(BigInt(literal)), end };
}

function floatValue(literal: string, at: number): number {
  if (/[eE][+-]?$/.test(literal)) throw new SyntaxProblem(at, 'invalid float literal');
  const value = Number(literal);
  if (!Number.isFinite(value)) throw new SyntaxProblem(at, 'floating-point literal too large');
  return value;
}
