/**
 * SCRAM-SHA-256 (RFC 5802, RFC 7677), client side: proves the password to the server, and verifies
 * the server's proof. No I/O.
 */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { DbFailure } from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';

export const MECHANISM = 'SCRAM-SHA-256';

/** Each iteration costs the client time. PostgreSQL requests 4,096 unless configured otherwise. */
const MAX_ITERATIONS = 100_000;
const SERVER_FIRST = /^r=([\x21-\x2b\x2d-\x7e]{1,512}),s=([A-Za-z0-9+/]{1,512}={0,2}),i=([1-9]\d{0,8})$/;
const SERVER_FINAL = /^v=([A-Za-z0-9+/]{1,128}={0,2})$/;
/**
 * SASLprep's spaces, and characters that it removes; then NFKC. PostgreSQL and libpq do the same
 * with a password.
 */
const OTHER_SPACES = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g;
const NOTHING = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g;

const derive = promisify(pbkdf2);
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export class Scram {
  readonly #nonce = randomBytes(18).toString('base64');
  #signature: Buffer | undefined;

  /** `true` once the server has proven that it knows the password. */
  isVerified = false;

  get first(): string {
    return `n,,${this.#bare}`;
  }

  get #bare(): string {
    return `n=*,r=${this.#nonce}`;
  }

  /** Returns the proof for the server's nonce, salt and number of iterations. */
  async final(serverFirst: string, password: string): Promise<string> {
    const [, nonce = '', salt = '', iterations = ''] = SERVER_FIRST.exec(serverFirst) ?? [];
    if (nonce === '' || this.#signature !== undefined) throw malformed('an unreadable SCRAM message');
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length) throw malformed('a SCRAM nonce that is not made from ours');
    if (Number(iterations) > MAX_ITERATIONS)
      throw malformed(`a demand for ${iterations} SCRAM iterations; at most ${MAX_ITERATIONS} are done`);
    if (password === '') throw new DbFailure('login', 'the server requests a password, and the entry has none');
    const prepared = password.replace(OTHER_SPACES, ' ').replace(NOTHING, '').normalize('NFKC');
    const salted = await derive(prepared, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
    const withoutProof = `c=biws,r=${nonce}`;
    const exchange = `${this.#bare},${serverFirst},${withoutProof}`;
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(createHash('sha256').update(clientKey).digest(), exchange);
    const proof = Buffer.from(clientKey.map((byte, i) => byte ^ (signature[i] as number)));
    this.#signature = hmac(hmac(salted, 'Server Key'), exchange);
    return `${withoutProof},p=${proof.toString('base64')}`;
  }

  verify(serverFinal: string): void {
    const [, text = ''] = SERVER_FINAL.exec(serverFinal) ?? [];
    const signature = Buffer.from(text, 'base64');
    const expected = this.#signature;
    if (expected === undefined || signature.length !== expected.length || !timingSafeEqual(signature, expected))
      throw new DbFailure('login', 'the server could not prove that it knows the password: it may be an impostor');
    this.isVerified = true;
  }
}
