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

/** Tells the server over a second connection to stop what a session is doing: within STOP_MS, login included. */
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

/** What runs on the connection ends, since it is killed. Gives true when the server has accepted that. Never takes longer than STOP_MS. */
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
