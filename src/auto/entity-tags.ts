/**
 * Entity tags: what a client sends of them in `If-Match` and `If-None-Match`, and the tag of a row. A tag is made from the values of a row, so it is
 * weak and so is every comparison.
 */
import { createHash } from 'node:crypto';
import { apiError } from '../errors.ts';
import type { Cells } from '../model/cells.ts';

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

/** The tag of a row, without its marks: from the bytes of its first so many cells. */
export function rowTag({ bytes, from, to }: Cells, width: number): string {
  const hash = createHash('sha256');
  for (let i = 0; i < width; i++) {
    const start = from[i] ?? -1;
    const end = to[i] ?? -1;
    hash.update(start < 0 ? 'n' : `${end - start}:`);
    if (start >= 0) hash.update(bytes.subarray(start, end));
  }
  return hash.digest('base64url').slice(0, 27);
}

export const weakTag = (tag: string): string => `W/"${tag}"`;
