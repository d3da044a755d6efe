/** Stops what another session is doing. */
import type { Entry } from '../../model/entry.ts';
import type { DbFailure, Destination } from '../contract/engine.ts';
import { lostFailure } from './dialect/failures.ts';
import { COMMAND, command } from './protocol/commands.ts';
import { login } from './protocol/login.ts';
import { DoneReply } from './protocol/replies.ts';
import { Wire } from './protocol/wire.ts';

/** How long a stopped statement may take to end before the connection is dropped. */
export const STOP_MS = 800;

/**
 * Cancels the statement of a session over a second connection, within STOP_MS including the login.
 */
export async function killQuery(entry: Entry, at: Destination, threadId: number): Promise<void> {
  const late = performance.now() + STOP_MS;
  const wire = new Wire(await login(entry, { host: at.host, address: at.address, timeoutMs: STOP_MS }), at.maxRowBytes);
  const timer = setTimeout(() => wire.fail(lostFailure('The database did not answer to a KILL')), late - performance.now());
  try {
    await wire.send(command(COMMAND.query, `KILL QUERY ${threadId}`), new DoneReply());
  } finally {
    clearTimeout(timer);
    wire.tell(command(COMMAND.quit, ''));
    wire.fail(lostFailure('The connection was closed'));
  }
}

/**
 * Waits for the killed statement to end, at most STOP_MS. Returns `true` if the server accepted the
 * kill.
 */
export async function stopRunning(wire: Wire, failure: DbFailure, kill: Promise<void>): Promise<boolean> {
  wire.resume();
  const timer = setTimeout(() => wire.fail(failure), STOP_MS);
  const pending = wire.settled();
  try {
    await kill;
    await pending;
    return true;
  } catch {
    wire.fail(failure);
    return false;
  } finally {
    clearTimeout(timer);
  }
}
