/**
 * Opens a socket and logs in: dials, and lets `mysql2` do the handshake (TLS, every authentication
 * method). Must not know what is sent afterwards.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import type { Entry } from '../../../model/entry.ts';
import { type ConnectOptions, DbFailure } from '../../contract/engine.ts';
import { malformed } from '../../contract/limits.ts';
import { SocketReader } from '../../driver-kit/socket-reader.ts';
import { connectFailure } from '../dialect/failures.ts';
import { LoginGuard, LoginPackets } from './login-guard.ts';

export interface Session {
  readonly socket: Socket;
  readonly reader: SocketReader;
  readonly threadId: number;
  readonly mariadb: boolean;
}

interface Greeting {
  readonly threadId: number;
  readonly mariadb: boolean;
  readonly tls: boolean;
}

/** Internals of mysql2: the socket, encrypted or not, and the parser of the packets. */
interface Internals {
  readonly stream: unknown;
  readonly config: { readonly clientFlags: number };
  readonly sequenceId: number;
  packetParser: { execute(piece: Buffer): unknown };
}

/** Node accepts these options here, although its types omit them. */
const SOCKET = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as SocketConstructorOpts;
const TLS_CAPABILITY = 0x0800;
const DEPRECATE_EOF = 0x01000000;

/**
 * Capabilities that our reader expects: results end with EOF packets, OK packets contain plain
 * text, no query attributes, several results of procedures, no local files, and matched rows count
 * as affected.
 */
const FLAGS = [
  'FOUND_ROWS',
  'PS_MULTI_RESULTS',
  '-CLIENT_QUERY_ATTRIBUTES',
  '-CLIENT_DEPRECATE_EOF',
  '-DEPRECATE_EOF',
  '-COMPRESS',
  '-IGNORE_SPACE',
  '-LOCAL_FILES',
  '-MULTI_STATEMENTS',
  '-ODBC',
  '-SESSION_TRACK',
];

export async function login(entry: Entry, options: ConnectOptions): Promise<Session> {
  // Loaded on demand: it takes 10 MB that a service without such a database saves. Loaded before
  // the socket exists, whose errors need a listener.
  const { createConnection } = await import('mysql2');
  if (options.signal?.aborted === true) throw new DbFailure('cancelled', 'The request was aborted while the connection was opened');
  const reader = new SocketReader();
  const socket = entry.tls === 'disable' ? reader.socket(SOCKET) : new Socket(SOCKET);
  socket.connect({ host: options.address, port: options.host.port });
  const { timeoutMs } = options;
  const late = (): DbFailure =>
    new DbFailure('unreachable', `The database did not answer within ${Math.round(timeoutMs)} ms`, { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => socket.destroy(late()), timeoutMs);
  const cancel = () => socket.destroy(new DbFailure('cancelled', 'The request was aborted while the connection was opened'));
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    return { ...(await shakeHands(socket, entry, options, createConnection)), reader };
  } catch (error) {
    socket.destroy();
    throw connectFailure(error);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', cancel);
  }
}

type CreateConnection = typeof import('mysql2').createConnection;

async function shakeHands(
  socket: Socket,
  entry: Entry,
  options: ConnectOptions,
  createConnection: CreateConnection,
): Promise<Omit<Session, 'reader'>> {
  const greeting = await peekGreeting(socket);
  // Node verifies the certificate against the host that the socket was connected to, which mysql2
  // does not pass on.
  Object.assign(socket, { _host: options.host.host });
  const ssl = sslOptions(entry, greeting);
  const connection = createConnection({
    stream: socket,
    host: options.host.host,
    port: options.host.port,
    user: entry.username,
    password: entry.password,
    database: entry.database,
    charset: 'utf8mb4_general_ci',
    connectTimeout: 0,
    // It only logs in. Space for its default of 16,000 statements would take 0.5 MB per connection.
    maxPreparedStatements: 1,
    flags: FLAGS,
    ...(ssl === undefined ? {} : { ssl }),
  } satisfies ConnectionOptions);
  const handle = connection as unknown as Internals;
  return new Promise((resolve, reject) => {
    const guard = new LoginGuard(handle.packetParser, () => handle.sequenceId, reject);
    handle.packetParser = guard;
    // Stays registered: mysql2 still listens to the socket and would throw an unhandled error.
    connection.on('error', reject);
    connection.once('connect', () => {
      const { stream } = handle;
      if (!(stream instanceof Socket) || !guard.greeted || (handle.config.clientFlags & DEPRECATE_EOF) !== 0) {
        reject(new DbFailure('other', 'The driver negotiated a protocol that the row reader does not speak'));
        return;
      }
      stream.pause();
      stream.removeAllListeners('data');
      resolve({ socket: stream, threadId: greeting.threadId, mariadb: greeting.mariadb });
    });
    socket.resume();
  });
}

/**
 * Reads the greeting and puts it back: mysql2 requires to know in advance whether the server
 * supports TLS.
 */
function peekGreeting(socket: Socket): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const packets = new LoginPackets();
    const gone = () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    const read = (chunk: Buffer) => {
      try {
        const [packet, ...more] = packets.take(chunk);
        if (packet === undefined) return;
        // Bytes before our first packet would be taken for a part of the encrypted stream.
        if (more.length > 0 || !packets.empty) throw malformed('a response before a request');
        socket.off('data', read);
        socket.off('close', gone);
        socket.off('error', reject);
        socket.pause();
        socket.unshift(packet);
        resolve(readGreeting(packet));
      } catch (error) {
        reject(error);
      }
    };
    socket.on('data', read);
    socket.on('close', gone);
    socket.on('error', reject);
  });
}

/**
 * An error packet instead of a greeting (too many connections) has no fields; mysql2 reports it.
 */
function readGreeting(packet: Buffer): Greeting {
  const versionEnd = packet.indexOf(0, 5);
  if (packet[4] !== 10 || versionEnd < 0 || versionEnd + 16 > packet.length) return { threadId: 0, mariadb: false, tls: false };
  return {
    threadId: packet.readUInt32LE(versionEnd + 1),
    mariadb: packet.toString('latin1', 5, versionEnd).toLowerCase().includes('mariadb'),
    tls: (packet.readUInt16LE(versionEnd + 14) & TLS_CAPABILITY) !== 0,
  };
}

function sslOptions(entry: Entry, greeting: Greeting): SslOptions | undefined {
  const ca = entry.ca === undefined ? {} : { ca: entry.ca };
  switch (entry.tls) {
    case 'disable':
      return undefined;
    case 'prefer':
      return greeting.tls ? { rejectUnauthorized: false } : undefined;
    case 'require':
      return { ...ca, rejectUnauthorized: entry.ca !== undefined, verifyIdentity: false };
    case 'verify-full':
      return { ...ca, rejectUnauthorized: true, verifyIdentity: true };
  }
}
