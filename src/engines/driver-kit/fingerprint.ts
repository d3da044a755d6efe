/** What catalogue stamps that need a statement have in common. */
import { type Connection, DbFailure } from '../contract/engine.ts';

/** A stamp that the server refuses counts as none: the description, which follows, reports better what is wrong. */
export async function unlessRefused(connection: Connection, stamp: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await stamp;
  } catch (error) {
    if (error instanceof DbFailure && connection.usable) return undefined;
    throw error;
  }
}
