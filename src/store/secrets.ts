/**
 * Encrypts secrets at rest with AES-256-GCM under a ring of keys. The ids of the owner are part of
 * the authenticated data, so a secret copied to another owner or field cannot be decrypted.
 *
 * Text form: `v1:<key id>:<iv>:<tag>:<ciphertext>`, the last three in base64url.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { BoundedMap } from '../util/bounded-map.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Offset of the key id in the text form, for queries that search secrets by key. */
export const KID_START = 'v1:'.length;
export const KID_LENGTH = 8;

const MAX_OPENED = 10_000;

/** Thrown when a secret cannot be decrypted. The message contains no part of it. */
export class SecretError extends Error {}

/** Identifies a key without revealing it: a truncated hash with a purpose of its own. */
export function keyId(key: Uint8Array): string {
  return createHash('sha256').update('millrace key id\0').update(key).digest('base64url').slice(0, KID_LENGTH);
}

/** Accepts only the canonical spelling, so that no two spellings name the same secret. */
function decode(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new SecretError(`the ${what} is damaged`);
  return bytes;
}

/** The owner as bytes that differ for any two lists of ids. */
function bind(kid: string, owner: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(['v1', kid, ...owner]), 'utf8');
}

export class KeyRing {
  /** The key that encrypts. All keys decrypt. */
  readonly currentKid: string;
  readonly #current: Uint8Array;
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #opened = new BoundedMap<string, string>(MAX_OPENED);

  constructor(keys: readonly Uint8Array[]) {
    const [first] = keys;
    if (first === undefined) throw new Error('there is no encryption key');
    for (const key of keys) if (key.length !== KEY_BYTES) throw new Error(`an encryption key must have ${KEY_BYTES} bytes`);
    this.#current = first;
    this.currentKid = keyId(first);
    this.#keys = new Map(keys.map((key) => [keyId(key), key]));
  }

  has(kid: string): boolean {
    return this.#keys.has(kid);
  }

  seal(secret: string, owner: readonly string[]): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#current, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(bind(this.currentKid, owner));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return ['v1', this.currentKid, ...[iv, cipher.getAuthTag(), sealed].map((bytes) => bytes.toString('base64url'))].join(':');
  }

  /** Caches plain texts: a change of one database re-reads a project with a thousand. */
  open(text: string, owner: readonly string[]): string {
    const memo = JSON.stringify([text, owner]);
    const known = this.#opened.get(memo);
    if (known !== undefined) return known;
    const secret = this.#decrypt(text, owner);
    this.#opened.set(memo, secret);
    return secret;
  }

  #decrypt(text: string, owner: readonly string[]): string {
    const [version, kid, ivText, tagText, sealedText, ...rest] = text.split(':');
    if (
      version !== 'v1' ||
      kid === undefined ||
      ivText === undefined ||
      tagText === undefined ||
      sealedText === undefined ||
      rest.length > 0
    )
      throw new SecretError('the stored form is damaged');
    const key = this.#keys.get(kid);
    if (key === undefined) throw new SecretError(`the key ${kid} is not in the ring`);
    const iv = decode(ivText, 'initialisation vector');
    const tag = decode(tagText, 'tag');
    const sealed = decode(sealedText, 'ciphertext');
    if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) throw new SecretError('the stored form is damaged');
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(bind(kid, owner));
    decipher.setAuthTag(tag);
    try {
      return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new SecretError('it was changed, or it belongs to another record');
    }
  }
}
