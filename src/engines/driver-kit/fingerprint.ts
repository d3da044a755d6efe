/**
 * A table counts as having no fingerprint if its statement fails: describing the table, which
 * follows, reports the cause better.
 */
import { type Connection, DbFailure } from '../contract/engine.ts';

export async function undefinedIfRejected(connection: Connection, fingerprint: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await fingerprint;
  } catch (error) {
    if (error instanceof DbFailure && connection.usable) return undefined;
    throw error;
  }
}
