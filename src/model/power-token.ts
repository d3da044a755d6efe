/**
 * A Power Token as the service keeps it: its hash and its rights, never the token itself.
 * Knows nothing of requests: authentication knows which header carries a token.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Claims } from './claims.ts';
import type { SpaceScope } from './project.ts';

export const KEY_TYPES = ['r--', '-w-', '--d', '-wd', 'r-d', 'rw-', 'rwd'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

export interface PowerToken extends SpaceScope {
  readonly tokenId: string;
  /** SHA-256 of the token in hex, the only trace of it. */
  readonly hash: string;
  readonly name: string;
  readonly description: string;
  readonly keyType: KeyType;
  readonly roles: ReadonlySet<string>;
  readonly userId: string;
  readonly featureId: string | null;
  readonly createdAt: string;
  /** As whom it acts, whatever its roles are; null when its roles decide. */
  readonly persona: string | null;
  readonly claims: Claims | null;
  /** As the caller wrote it. */
  readonly expiresAt: string | null;
  /** The same moment for comparing with the clock; Infinity when it never expires. */
  readonly expiresAtMs: number;
}

/** A new token: 256 random bits behind a prefix that secret scanners recognise. */
export function newToken(): string {
  return `mr_${randomBytes(32).toString('base64url')}`;
}

/** Tokens are random, so a fast hash without salt is safe, and the record can be found by it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** A time that cannot be read (a damaged record) counts as expired. */
export function isExpired(token: PowerToken, nowMs: number): boolean {
  return !(token.expiresAtMs > nowMs);
}
