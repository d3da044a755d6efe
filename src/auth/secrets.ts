/** Comparing secrets in constant time: both sides are hashed first, so that neither length nor content shows in the time taken. */
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** A set of secrets, any of which is right: several while one is rotated. */
export class SecretSet {
  readonly #digests: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.#digests = secrets.map(digest);
  }

  /** Looks at all of them, whichever matches. */
  has(candidate: string): boolean {
    const hash = digest(candidate);
    let found = false;
    for (const known of this.#digests) if (timingSafeEqual(known, hash)) found = true;
    return found;
  }
}

export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}
