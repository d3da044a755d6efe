/**
 * Cursors of callers with a persona: they hold values that the caller may not read, and whoever could make one up could ask about such values. So
 * they are encrypted, and open for the same persona of the same space only.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CursorSeal } from '../auto/plan/access.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class CursorSeals {
  readonly #keys: readonly Buffer[];

  /** `keys`: the service's own, the first of which seals. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'millrace cursors', 32)));
  }

  /** `owner`: whose cursors they are. */
  for(owner: string): CursorSeal {
    const bound = Buffer.from(owner);
    return { seal: (text) => this.#seal(text, bound), open: (cursor) => this.#open(cursor, bound) };
  }

  #seal(text: string, owner: Buffer): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no key to seal cursors with');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(owner);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
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
        // Sealed with another key, for someone else, or by nobody.
      }
    }
    return undefined;
  }
}
