/** Compares secrets in constant time. Both sides are hashed first, so that the time shows neither length nor content. */
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** A set of secrets, any of which is valid: there are several during a rotation. */
export class SecretSet {
  readonly #digests: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.#digests = secrets.map(digest);
  }

  /** Compares with all of them, whichever matches. */
  has(candidate: string): boolean {
    const hash = digest(candidate);
    let found = false;
    for (const known of this.#digests) if (timingSafeEqual(known, hash)) found = true;
    return found;
  }
}
