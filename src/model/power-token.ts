/**
 * A stored Power Token: its hash and its rights, never the token itself. Independent of requests.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Claims } from './claims.ts';
import type { SpaceScope } from './project.ts';

export const KEY_TYPES = ['r--', '-w-', '--d', '-wd', 'r-d', 'rw-', 'rwd'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

export interface PowerToken extends SpaceScope {
  readonly tokenId: string;
  /** SHA-256 of the token in hex. */
  readonly hash: string;
  readonly name: string;
  readonly description: string;
  readonly keyType: KeyType;
  readonly roles: ReadonlySet<string>;
  readonly userId: string;
  readonly featureId: string | null;
  readonly createdAt: string;
  /** Persona that overrides the roles; `null` if the roles decide. */
  readonly persona: string | null;
  readonly claims: Claims | null;
  /** As the client wrote it. */
  readonly expiresAt: string | null;
  /** The same in ms since the epoch; Infinity if the token never expires. */
  readonly expiresAtMs: number;
}

/** Generates a token: 256 random bits after a prefix that secret scanners recognise. */
export function newToken(): string {
  return `mr_${randomBytes(32).toString('base64url')}`;
}

/** Tokens are random, so a fast hash without salt is safe and can serve as the lookup key. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** `true` also for an unreadable time (a damaged record). */
export function isExpired(token: PowerToken, nowMs: number): boolean {
  return !(token.expiresAtMs > nowMs);
}
