/**
 * Opens a socket and logs in: dials, starts TLS if the entry requires it, and runs the handshake.
 * Limits the time and the bytes of a login. Must not know what is sent afterwards.
 */
import { isIP, Socket, type SocketConstructorOpts } from 'node:net';
import { connect as startTls, type TLSSocket } from 'node:tls';
import type { Entry } from '../../../model/entry.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import { type ConnectOptions, DbFailure } from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';
import { SocketReader } from '../../driver-kit/socket-reader.ts';
import { connectFailure } from '../dialect/failures.ts';
import { type CancelKey, Handshake } from './handshake.ts';
import { Incoming } from './incoming.ts';

export interface Session extends CancelKey {
  readonly socket: Socket;
  readonly reader: SocketReader;
  /** Assembles messages. The owner of the session sets its handlers. */
  readonly incoming: Incoming;
  readonly readOnly: boolean;
}

/** Node accepts these options here, but its types omit them. */
const SOCKET = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as SocketConstructorOpts;
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const YES = 0x53;
const NO = 0x4e;

/** Servers that answered "no TLS" to `prefer`. The next connection does not ask again. */
const withoutTls = new BoundedMap<string, true>(10_000);

class NoTls extends DbFailure {
  constructor() {
    super('unreachable', 'the server does not speak TLS, which the entry demands', { code: 'NO_TLS' });
  }
}

export async function logIn(entry: Entry, options: ConnectOptions): Promise<Session> {
  const server = `${options.host.host}:${options.host.port}`;
  const isPlain = entry.tls === 'disable' || (entry.tls === 'prefer' && withoutTls.get(server) === true);
  if (isPlain) return attempt(entry, options, 'plain');
  try {
    return await attempt(entry, options, 'tls');
  } catch (error) {
    if (entry.tls !== 'prefer' || !(error instanceof NoTls)) throw error;
    withoutTls.set(server, true);
    return attempt(entry, options, 'plain');
  }
}

async function attempt(entry: Entry, options: ConnectOptions, layer: 'plain' | 'tls'): Promise<Session> {
  if (options.signal?.aborted) throw new DbFailure('cancelled', 'the caller went away');
  const reader = new SocketReader();
  const socket = layer === 'plain' ? reader.socket(SOCKET) : new Socket(SOCKET);
  const failed = new Promise<never>((_, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new DbFailure('unreachable', 'the server closed the connection during the login')));
  });
  // Prevents an unhandled rejection between two awaits.
  failed.catch(() => {});
  // Created on demand: a closure here lives as long as the socket.
  const timedOut = (): DbFailure => new DbFailure('unreachable', 'the database did not answer in time', { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => socket.destroy(timedOut()), options.timeoutMs);
  const abort = (): void => void socket.destroy(new DbFailure('cancelled', 'the caller went away'));
  options.signal?.addEventListener('abort', abort);
  let secured: TLSSocket | undefined;
  try {
    socket.connect({ host: options.address, port: options.host.port });
    if (layer === 'tls') secured = await Promise.race([secure(socket, entry, options), failed]);
    return await Promise.race([shakeHands(entry, { socket: secured ?? socket, reader, options }), failed]);
  } catch (error) {
    secured?.destroy();
    socket.destroy();
    throw connectFailure(error);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
  }
}

interface Line {
  readonly socket: Socket;
  readonly reader: SocketReader;
  readonly options: ConnectOptions;
}

function shakeHands(entry: Entry, { socket, reader, options }: Line): Promise<Session> {
  return new Promise((resolve, reject) => {
    const channel = { isPrivate: 'encrypted' in socket, send: (message: Buffer) => void socket.write(message) };
    const done = (key: CancelKey): void => resolve({ ...key, socket, reader, incoming, readOnly: entry.readOnly === true });
    const handshake = new Handshake(entry, channel, done, reject);
    const incoming = new Incoming(handshake.message, options.maxRowBytes);
    reader.read(socket, (bytes, length) => {
      try {
        incoming.receive(bytes, length);
      } catch (error) {
        incoming.close();
        socket.destroy();
        reject(error instanceof DbFailure ? error : malformed('unreadable data', error));
      }
    });
    handshake.begin();
  });
}

/**
 * Starts TLS. Bytes received before the handshake are rejected: they could have been injected
 * (CVE-2021-23222).
 */
async function secure(socket: Socket, entry: Entry, { host }: ConnectOptions): Promise<TLSSocket> {
  socket.write(TLS_REQUEST);
  const reply = await new Promise<Buffer>((resolve) => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      resolve(chunk);
    });
  });
  if (reply.length !== 1 || (reply[0] !== YES && reply[0] !== NO)) throw malformed('an invalid response to the request for TLS');
  if (reply[0] === NO) throw new NoTls();
  return new Promise((resolve, reject) => {
    const secured = startTls({
      socket,
      host: host.host,
      ...(isIP(host.host) > 0 ? {} : { servername: host.host }),
      rejectUnauthorized: entry.tls === 'verify-full',
      ...(entry.ca === undefined ? {} : { ca: entry.ca }),
    });
    secured.once('secureConnect', () => resolve(secured));
    secured.once('error', reject);
  });
}
