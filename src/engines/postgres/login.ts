/**
 * Connecting, TLS and login, done by `pg`; what comes out is the bare socket, ready for queries, and the key to cancel them.
 * `pg` reads no rows for us: see docs/decisions on the row path.
 */
import { Socket } from 'node:net';
import pg from 'pg';
import type { Entry } from '../../model/entry.ts';
import { type ConnectOptions, DbFailure } from '../engine.ts';
import { Inlet } from '../inlet.ts';
import { connectFailure } from './failures.ts';

export interface Session {
  readonly socket: Socket;
  readonly inlet: Inlet;
  readonly processId: number;
  readonly secret: Buffer;
  readonly maxRowBytes: number | undefined;
}

/** What `pg.Client` has but does not declare. */
interface OpenClient {
  readonly connection: { readonly stream: Socket; removeAllListeners(): void };
  readonly processID: number;
  readonly secretKey: number | Buffer;
}

/** Servers that have answered `prefer` with "no TLS here": the next connection does not ask again. */
const withoutTls = new Set<string>();

export async function logIn(entry: Entry, options: ConnectOptions): Promise<Session> {
  const server = `${options.host.host}:${options.host.port}`;
  if (entry.tls === 'disable') return attempt(entry, options, false);
  if (entry.tls === 'prefer' && withoutTls.has(server)) return attempt(entry, options, false);
  const strict = entry.tls === 'verify-full';
  const tls = { rejectUnauthorized: strict, servername: options.host.host, ...(entry.ca === undefined ? {} : { ca: entry.ca }) };
  try {
    return await attempt(entry, options, tls);
  } catch (error) {
    if (entry.tls !== 'prefer' || !/does not support SSL/.test((error as Error).message)) throw error;
    withoutTls.add(server);
    return attempt(entry, options, false);
  }
}

async function attempt(entry: Entry, options: ConnectOptions, ssl: false | object): Promise<Session> {
  const inlet = new Inlet();
  const client = new pg.Client({
    stream: () => (ssl === false ? inlet.socket() : new Socket()),
    host: options.address,
    port: options.host.port,
    user: entry.username,
    password: entry.password,
    database: entry.database,
    ssl,
    application_name: 'millrace',
    connectionTimeoutMillis: options.timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  });
  // Until the socket is ours, an error event without a listener would end the process.
  client.on('error', () => {});
  const open = client as unknown as OpenClient;
  const abort = (): void => void open.connection.stream.destroy(new Error('the caller went away'));
  options.signal?.addEventListener('abort', abort);
  try {
    await client.connect();
  } catch (error) {
    open.connection.stream.destroy();
    throw options.signal?.aborted ? new DbFailure('cancelled', 'the caller went away') : connectFailure(error);
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
  return takeOver(open, inlet, options.maxRowBytes);
}

/** From here on `pg` hears nothing of this socket any more. */
function takeOver(client: OpenClient, inlet: Inlet, maxRowBytes: number | undefined): Session {
  const socket = client.connection.stream;
  for (const event of ['data', 'end', 'error', 'close', 'drain']) socket.removeAllListeners(event);
  client.connection.removeAllListeners();
  const { secretKey } = client;
  const secret = Buffer.isBuffer(secretKey) ? secretKey : Buffer.alloc(4);
  if (!Buffer.isBuffer(secretKey)) secret.writeInt32BE(secretKey | 0);
  return { socket, inlet, processId: client.processID, secret, maxRowBytes };
}
