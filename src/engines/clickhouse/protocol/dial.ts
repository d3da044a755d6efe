/**
 * Opens sockets and detects what a port speaks: HTTP or the native protocol, with or without TLS.
 * The response decides, not the port number. Must not send credentials or queries.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Entry } from '../../../model/entry.ts';
import { BoundedMap } from '../../../util/bounded-map.ts';
import { type ConnectOptions, DbFailure } from '../../contract/engine.ts';
import { cancelled, dialFailure } from '../dialect/failures.ts';

export interface Transport {
  readonly protocol: 'http' | 'native';
  readonly tls: boolean;
}

/**
 * Protocol that an address spoke last time. It saves a probe and proves nothing: callers that find
 * it wrong call `forgetTransport`.
 */
const transports = new BoundedMap<string, Transport>(10_000);

function keyOf(entry: Entry, options: ConnectOptions): string {
  return `${options.address} ${options.host.port} ${entry.tls}`;
}

export function rememberedTransport(entry: Entry, options: ConnectOptions): Transport | undefined {
  return transports.get(keyOf(entry, options));
}

export function forgetTransport(entry: Entry, options: ConnectOptions): void {
  transports.delete(keyOf(entry, options));
}

/** Probes the protocol of the port and remembers it. */
export async function detectTransport(entry: Entry, options: ConnectOptions): Promise<Transport> {
  const found = await probe(entry, options);
  transports.set(keyOf(entry, options), found);
  return found;
}

/** The options of a later part of connecting: all parts share one deadline. */
export function untilDeadline<T extends ConnectOptions>(options: T, ends: number): T {
  return { ...options, timeoutMs: Math.max(1, ends - performance.now()) };
}

async function probe(entry: Entry, options: ConnectOptions): Promise<Transport> {
  const ends = performance.now() + options.timeoutMs;
  if (entry.tls === 'disable') return { protocol: await probePlain(entry, options, 'plain'), tls: false };
  if (entry.tls !== 'prefer') return { protocol: await probePlain(entry, options, 'tls'), tls: true };
  try {
    // A server that says nothing leaves time for an attempt without TLS.
    return { protocol: await probePlain(entry, { ...options, timeoutMs: options.timeoutMs / 2 }, 'tls'), tls: true };
  } catch (error) {
    // A port without TLS breaks the handshake off; a closed port refuses both.
    if (error instanceof DbFailure && error.code !== 'ECONNREFUSED' && error.kind === 'unreachable') {
      return { protocol: await probePlain(entry, untilDeadline(options, ends), 'plain'), tls: false };
    }
    throw error;
  }
}

const NATIVE_ANSWER = 'is for clickhouse-client program';
const LONGEST_ANSWER = 4096;

/** `GET /ping`: the HTTP port answers `Ok.`, the native port an explanation. */
async function probePlain(entry: Entry, options: ConnectOptions, layer: 'plain' | 'tls'): Promise<Transport['protocol']> {
  const ends = performance.now() + options.timeoutMs;
  const socket = await openSocket(entry, options, layer);
  const late = (): void => void socket.destroy(Object.assign(new Error('no answer to a ping'), { code: 'ETIMEDOUT' }));
  const deadline = setTimeout(late, untilDeadline(options, ends).timeoutMs);
  const abort = (): void => void socket.destroy(cancelled());
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    socket.write(`GET /ping HTTP/1.1\r\nHost: ${hostHeader(options)}\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) {
      answer += String(chunk);
      if (answer.length > LONGEST_ANSWER) break;
    }
    if (answer.includes(NATIVE_ANSWER)) return 'native';
    if (/^HTTP\/1\.[01] \d{3}/.test(answer)) return 'http';
  } catch (error) {
    throw dialFailure(error as Error);
  } finally {
    clearTimeout(deadline);
    options.signal?.removeEventListener('abort', abort);
    socket.destroy();
  }
  throw new DbFailure('unreachable', `port ${options.host.port} speaks neither ClickHouse's HTTP nor its native protocol`, {
    code: 'PROTOCOL',
  });
}

export function hostHeader(options: ConnectOptions): string {
  const { host, port } = options.host;
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Returns a connected socket after the handshake, within the timeout. */
export function openSocket(entry: Entry, options: ConnectOptions, layer: 'plain' | 'tls'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted === true) {
      reject(cancelled());
      return;
    }
    const target = { host: options.address, port: options.host.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
    const socket = layer === 'tls' ? connectTls({ ...target, ...tlsOptions(entry, options) }) : connectTcp(target);
    const settle = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      socket.off('error', fail);
      socket.off('close', close);
    };
    const fail = (error: Error): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(dialFailure(error));
    };
    const close = (): void => fail(new Error('closed during the handshake'));
    const abort = (): void => fail(cancelled());
    const timer = setTimeout(
      () => fail(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' })),
      Math.max(1, options.timeoutMs),
    );
    socket.once('error', fail);
    socket.once('close', close);
    options.signal?.addEventListener('abort', abort, { once: true });
    socket.once(layer === 'tls' ? 'secureConnect' : 'connect', () => {
      settle();
      resolve(socket);
    });
  });
}

/** `prefer` and `require` encrypt; only `verify-full` also verifies the certificate. */
function tlsOptions(entry: Entry, options: ConnectOptions): ConnectionOptions {
  const name = isIP(options.host.host) === 0 ? { servername: options.host.host } : {};
  if (entry.tls !== 'verify-full') return { ...name, rejectUnauthorized: false };
  return { ...name, rejectUnauthorized: true, ...(entry.ca === undefined ? {} : { ca: entry.ca }) };
}
