/** Stops what another session is doing. */
import { connect as dial, type Socket } from 'node:net';
import type { Session } from './protocol/login.ts';
import { cancelRequest } from './protocol/outgoing.ts';

/** How long the server may take to confirm that it has stopped before the socket is given up. */
export const CANCEL_GRACE_MS = 500;

/**
 * Sends a cancel request for the session on a separate socket. The server does not acknowledge it.
 */
export function cancelQuery({ remoteAddress, remotePort }: Socket, { processId, secret }: Session): void {
  if (remoteAddress === undefined || remotePort === undefined) return;
  const canceller = dial({ host: remoteAddress, port: remotePort, timeout: CANCEL_GRACE_MS });
  canceller.on('error', ignore);
  canceller.on('timeout', () => canceller.destroy());
  canceller.on('connect', () => canceller.end(cancelRequest(processId, secret)));
}

function ignore(): void {}
