/** What stamps by a statement of the server's own have in common. */
import { type Connection, DbFailure } from './engine.ts';

/** A stamp that the server refuses is none: the description, which is asked for then, tells better what is wrong. */
export async function unlessRefused(connection: Connection, stamp: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await stamp;
  } catch (error) {
    if (error instanceof DbFailure && connection.usable) return undefined;
    throw error;
  }
}
