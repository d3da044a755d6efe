/**
 * Compares secrets in constant time. Both sides are hashed first, so that timing reveals neither
 * length nor content.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** A set of valid secrets: several during a rotation. */
export class SecretSet {
  readonly #digests: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.#digests = secrets.map(digest);
  }

  /** Always compares with every secret. */
  has(candidate: string): boolean {
    const hash = digest(candidate);
    let isMatch = false;
    for (const known of this.#digests) if (timingSafeEqual(known, hash)) isMatch = true;
    return isMatch;
  }
}
