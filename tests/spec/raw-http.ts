// Requests that no HTTP library sends: bytes are sent unchanged, responses are parsed by hand.
import { connect } from 'node:net';
import type { Service } from '../support/service.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends bytes and reads until the service closes the connection. The request must demand that, or
 * be rejected.
 */
export function sendRaw(service: Service, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(service.port, service.host, () => socket.write(bytes));
    socket.setTimeout(10_000, () => socket.destroy(new Error('the service neither answered nor closed the connection')));
    socket.on('data', (piece) => pieces.push(piece));
    // A service that rejects a request early may reset the connection afterwards.
    socket.on('error', (error) => (pieces.length > 0 ? undefined : reject(error)));
    socket.on('close', () => resolve(parse(Buffer.concat(pieces).toString('utf8'))));
  });
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])),
    body: text.slice(end + 4),
  };
}
