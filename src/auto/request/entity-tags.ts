/**
 * Parses `If-Match` and `If-None-Match`, and makes the ETag of a row. Tags are made from a row's
 * values, so tags and comparisons are weak.
 */
import * as crypto from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Cells } from '../../model/cells.ts';

/** Tags of a header without their quotes; `any` for `*`. */
export type EntityTags = 'any' | ReadonlySet<string>;

const LIST = /^[ \t]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(?:,[ \t]*|$))+$/;
const TAG = /"([^"]*)"/g;

export function parseTags(header: string, text: string | undefined): EntityTags | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '*') return 'any';
  if (text.length > 8192 || !LIST.test(text)) throw apiError('header_invalid', header, 'it must be * or a list of tags in double quotes');
  return new Set(Array.from(text.matchAll(TAG), ([, tag = '']) => tag));
}

export const hasTag = (tags: EntityTags, tag: string): boolean => tags === 'any' || tags.has(tag);

/** `crypto.hash` costs half as much, but is missing before Node 20.12. */
const sha256: (bytes: Buffer) => string =
  typeof crypto.hash === 'function'
    ? (bytes) => crypto.hash('sha256', bytes, 'base64url')
    : (bytes) => crypto.createHash('sha256').update(bytes).digest('base64url');

/**
 * Buffer for the hashed bytes of a row. Each call into the hash costs more than copying a small
 * row.
 */
let scratch = Buffer.allocUnsafe(4096);
const MAX_SCRATCH = 64 * 1024;
/** Bytes for the length and the colon before each value. */
const PREFIX = 12;

/** Makes the unquoted tag of a row from its first `width` cells. */
export function rowTag({ bytes, from, to }: Cells, width: number): string {
  let size = 0;
  for (let i = 0; i < width; i++) size += PREFIX + ((from[i] ?? -1) < 0 ? 0 : (to[i] ?? 0) - (from[i] ?? 0));
  const target = size <= scratch.length ? scratch : Buffer.allocUnsafe(size);
  if (size <= MAX_SCRATCH) scratch = target;
  let at = 0;
  for (let i = 0; i < width; i++) {
    const start = from[i] ?? -1;
    const end = to[i] ?? -1;
    at += target.write(start < 0 ? 'n' : `${end - start}:`, at, 'latin1');
    if (start >= 0) at += bytes.copy(target, at, start, end);
  }
  return sha256(target.subarray(0, at)).slice(0, 27);
}

export const weakTag = (tag: string): string => `W/"${tag}"`;
