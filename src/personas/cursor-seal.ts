/**
 * Encrypts the cursors of restricted callers. They contain values that the caller may not read, and
 * a forged one could probe such values. A cursor is bound to a persona and space, and its length
 * shows no more than a size class.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CursorSeal } from '../auto/plan/access.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Smallest size class; the next ones double it. */
const MIN_BYTES = 512;

export class CursorSeals {
  readonly #keys: readonly Buffer[];

  /** `keys` are the service's keys; the first one encrypts. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'millrace cursors', 32)));
  }

  /** `owner` identifies the persona and its space. */
  for(owner: string): CursorSeal {
    const bound = Buffer.from(owner);
    return { seal: (text) => this.#seal(text, bound), open: (cursor) => this.#open(cursor, bound) };
  }

  #seal(text: string, owner: Buffer): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('no key to encrypt cursors');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(owner);
    return Buffer.concat([nonce, cipher.update(padded(text)), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  #open(cursor: string, owner: Buffer): string | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const key of this.#keys) {
      try {
        const opener = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(owner).setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = opener.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, opener.final()]).toString('utf8');
      } catch {
        // Sealed with another key or for another owner, or forged.
      }
    }
    return undefined;
  }
}

/** Appends spaces, which JSON ignores. */
function padded(text: string): Buffer {
  const bytes = Buffer.from(text);
  let size = MIN_BYTES;
  while (size < bytes.length) size *= 2;
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length, ' ')]);
}
