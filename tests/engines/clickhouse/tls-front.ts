/**
 * A TLS proxy in front of a plain port. The key below belongs to a localhost certificate that only
 * these tests trust.
 */
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';

export interface TlsFront {
  readonly port: number;
  close(): Promise<void>;
}

export async function startTlsFront(target: { readonly host: string; readonly port: number }): Promise<TlsFront> {
  const sockets = new Set<Socket>();
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (client) => {
    const upstream = connect(target.port, target.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
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
