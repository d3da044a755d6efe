/** What catalogue fingerprints that need a statement have in common. */
import { type Connection, DbFailure } from '../contract/engine.ts';

/** A fingerprint that the server refuses counts as none: the description, which follows, reports better what is wrong. */
export async function unlessRefused(connection: Connection, fingerprint: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await fingerprint;
  } catch (error) {
    if (error instanceof DbFailure && connection.usable) return undefined;
    throw error;
  }
}
