/**
 * Entity tags: what a client sends of them in `If-Match` and `If-None-Match`, and the tag of a row. A tag is made from the values of a row, so it is
 * weak and so is every comparison.
 */
import * as crypto from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Cells } from '../../model/cells.ts';

/** The tags of a header without their marks; `any` for `*`. */
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

/** In one call, at half the cost, from Node 20.12 on. */
const sha256: (bytes: Buffer) => string =
  typeof crypto.hash === 'function'
    ? (bytes) => crypto.hash('sha256', bytes, 'base64url')
    : (bytes) => crypto.createHash('sha256').update(bytes).digest('base64url');

/** What is hashed of a row, in one piece: each call into the hash costs more than a small row. */
let scratch = Buffer.allocUnsafe(4096);
const KEPT_MOST = 64 * 1024;
/** Before each value: its length and a colon. */
const PREFIX = 12;

/** The tag of a row, without its marks: from the bytes of its first so many cells. */
export function rowTag({ bytes, from, to }: Cells, width: number): string {
  let size = 0;
  for (let i = 0; i < width; i++) size += PREFIX + ((from[i] ?? -1) < 0 ? 0 : (to[i] ?? 0) - (from[i] ?? 0));
  const target = size <= scratch.length ? scratch : Buffer.allocUnsafe(size);
  if (size <= KEPT_MOST) scratch = target;
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
