/**
 * From an address to a socket that is logged in: we dial, ask for TLS if the entry wants it, and do the handshake. None of it may take longer than the
 * caller has, nor exchange more than a login needs. Does not know what is said afterwards.
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
  /** Where messages are put together; whoever takes the session over says who hears them. */
  readonly incoming: Incoming;
  readonly readOnly: boolean;
}

/** Node takes these here, which its types do not say. */
const SOCKET = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as SocketConstructorOpts;
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const YES = 0x53;
const NO = 0x4e;

/** Servers that have answered `prefer` with "no TLS here": the next connection does not ask again. */
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

async function attempt(entry: Entry, options: ConnectOptions, way: 'plain' | 'tls'): Promise<Session> {
  if (options.signal?.aborted) throw new DbFailure('cancelled', 'the caller went away');
  const reader = new SocketReader();
  const socket = way === 'plain' ? reader.socket(SOCKET) : new Socket(SOCKET);
  const giveUp = new Promise<never>((_, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new DbFailure('unreachable', 'the server closed the connection during the login')));
  });
  // Between two waits nobody listens.
  giveUp.catch(() => {});
  // Made when it is needed: what is in reach here stays with the socket.
  const late = (): DbFailure => new DbFailure('unreachable', 'the database did not answer in time', { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => socket.destroy(late()), options.timeoutMs);
  const abort = (): void => void socket.destroy(new DbFailure('cancelled', 'the caller went away'));
  options.signal?.addEventListener('abort', abort);
  let secured: TLSSocket | undefined;
  try {
    socket.connect({ host: options.address, port: options.host.port });
    if (way === 'tls') secured = await Promise.race([secure(socket, entry, options), giveUp]);
    return await Promise.race([shakeHands(entry, { socket: secured ?? socket, reader, options }), giveUp]);
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
        reject(error instanceof DbFailure ? error : malformed('what cannot be read', error));
      }
    });
    handshake.begin();
  });
}

/** Asks for TLS. What a server says in the clear behind its one byte was said by somebody else. */
async function secure(socket: Socket, entry: Entry, { host }: ConnectOptions): Promise<TLSSocket> {
  socket.write(TLS_REQUEST);
  const reply = await new Promise<Buffer>((resolve) => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      resolve(chunk);
    });
  });
  if (reply.length !== 1 || (reply[0] !== YES && reply[0] !== NO)) throw malformed('what is no answer to the request for TLS');
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
