/**
 * What the system knows about our connections and the runtime does not tell: how much the client has not received, and whether it has closed
 * while we do not read. Reads Linux's tables; elsewhere nothing is known. Rarely used.
 */
import { readFile } from 'node:fs/promises';

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const ESTABLISHED = '01';

export interface SystemSocket {
  /** Bytes that the client has not acknowledged. */
  unsent: number;
  /** Neither side has closed. */
  open: boolean;
}

/** By the ports of both sides. Two clients with the same port share an entry: what moves for one counts for both. */
export type SystemSockets = ReadonlyMap<string, SystemSocket>;

export function keyOf(localPort: number | undefined, remotePort: number | undefined): string {
  return `${localPort}:${remotePort}`;
}

/** `  46: 0100007F:9DCE 0100007F:8A75 01 0039DC00:00000000 …`: addresses and ports in hexadecimal, the state, unsent and unread bytes. */
const LINE = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]{2}) ([0-9A-F]{8}):/;

export function parseSockets(text: string, found: Map<string, SystemSocket>): void {
  for (const line of text.split('\n')) {
    const [, local, remote, state, unsent] = LINE.exec(line) ?? [];
    if (local === undefined || remote === undefined || unsent === undefined) continue;
    const key = keyOf(Number.parseInt(local, 16), Number.parseInt(remote, 16));
    const before = found.get(key);
    const open = state === ESTABLISHED;
    if (before === undefined) found.set(key, { unsent: Number.parseInt(unsent, 16), open });
    else {
      before.unsent += Number.parseInt(unsent, 16);
      before.open ||= open;
    }
  }
}

/** Undefined where the system does not tell. */
export async function readSystemSockets(): Promise<SystemSockets | undefined> {
  const found = new Map<string, SystemSocket>();
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => undefined)));
  if (texts[0] === undefined) return undefined;
  for (const text of texts) if (text !== undefined) parseSockets(text, found);
  return found;
}
