/**
 * A TCP proxy that tests put between a client and a server: it can cut an answer after some bytes, go silent, or add TLS.
 * Knows no protocol. The key below protects nothing: it belongs to a certificate for localhost that only these tests trust.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface TestProxy {
  readonly port: number;
  /** Bytes of answers let through before both sides are cut; undefined is no limit. */
  cutAfter: number | undefined;
  /** While true nothing passes in either direction. */
  silent: boolean;
  /** Bytes of answers that the newest connection has had. */
  lastAnswerBytes(): number;
  close(): Promise<void>;
}

export async function startProxy(target: number, layer: 'plain' | 'tls' = 'plain'): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let newest = () => 0;
  const proxy = { port: 0, cutAfter: undefined as number | undefined, silent: false, lastAnswerBytes: () => newest(), close };
  const accept = (client: Socket): void => {
    const upstream = connect(target, '127.0.0.1');
    let passed = 0;
    newest = () => passed;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (!proxy.silent) upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (proxy.silent) return;
      const left = proxy.cutAfter === undefined ? bytes.length : proxy.cutAfter - passed;
      passed += bytes.length;
      if (left >= bytes.length) client.write(bytes);
      else client.end(bytes.subarray(0, Math.max(0, left)), () => client.destroy());
    });
  };
  const server: Server = layer === 'tls' ? createTlsServer({ key: KEY, cert: CERTIFICATE }, accept) : createServer(accept);
  function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUerz9eC4vcWbdjbUqVFBPwE/F+bQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTAzNTQ0MVoYDzIxMjYxMDIy
MDM1NDQxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ1NNRk6iBokShyNkVihc1mxU1Z4b21ryE1uQltg1ezG60oY/psetrW
b8AUU8u+0fA1ypyVbgdRxFckE4/ZoMACo28wbTAdBgNVHQ4EFgQUlW5CoVdc2FkV
97/qq/NjdiZsPvswHwYDVR0jBBgwFoAUlW5CoVdc2FkV97/qq/NjdiZsPvswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgBvcuiGA2vnfMoaPjQfdNk2DnpbHCCWnOkl9fSqEuoE4CIBVJ
lX7Q+nuAyvS+jKJD9gBED+Rt6Kcswh9m4M/F7h2L
-----END CERTIFICATE-----`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc7Y+My6RO0oLZnuN
5/jJFXz/FRFPHFxV07GIZk/S7imhRANCAAQ1NNRk6iBokShyNkVihc1mxU1Z4b21
ryE1uQltg1ezG60oY/psetrWb8AUU8u+0fA1ypyVbgdRxFckE4/ZoMAC
-----END PRIVATE KEY-----`;
