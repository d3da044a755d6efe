/**
 * Identifiers: how a ULID is made, recognised and written. Knows nothing of what it identifies.
 */
import { monotonicFactory } from 'ulid';

/** Monotonic, so that what one process made later also sorts later, even when the clock steps back. */
const next = monotonicFactory();

/** 128 bits in 26 characters leave the first one 3 bits: a larger one cannot be a ULID. */
const SHAPE = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/;

export function newUlid(): string {
  return next();
}

/** The ULID in upper case, the one form in which ids are kept and compared; undefined when the text is none. */
export function parseUlid(text: string): string | undefined {
  return SHAPE.test(text) ? text.toUpperCase() : undefined;
}
