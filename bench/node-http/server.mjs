// The face of our server of HTTP on node:http: the same handlers, heads and replies, so that what differs in a measurement is the server alone.
// It has none of the bounds and checks of ours; it is for comparing speed.
import { createServer } from 'node:http';

const EMPTY = Buffer.alloc(0);

/** Header lines as our handlers write them, as the flat list that Node takes. */
function flat(lines) {
  const list = [];
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) list.push(line.slice(0, colon), line.slice(colon + 2));
  }
  return list;
}

class NodeReply {
  status = 0;
  gone = false;
  stalled = false;
  onOver = undefined;
  onDrain = undefined;
  over = false;
  #response;
  #closes = false;

  constructor(response) {
    this.#response = response;
    response.on('drain', () => this.onDrain?.());
    response.on('finish', () => this.#finish());
    response.on('close', () => this.leave());
  }

  closeAfter() {
    this.#closes = true;
  }

  bodyDone() {}

  send(status, headers, body) {
    this.begin(status, headers, body.length);
    this.#end(body);
  }

  sendLatin1(status, headers, body) {
    this.send(status, headers, Buffer.from(body, 'latin1'));
  }

  sendPieces(status, headers, pieces, taken) {
    this.send(status, headers, Buffer.concat(pieces));
    for (const piece of pieces) taken?.(piece);
  }

  begin(status, headers, length) {
    if (this.over) return;
    this.status = status;
    const list = flat(headers);
    if (length !== undefined) list.push('Content-Length', String(length));
    if (this.#closes) list.push('Connection', 'close');
    this.#response.writeHead(status, list);
  }

  write(piece, taken) {
    if (this.over || piece.length === 0) return true;
    return this.#response.write(piece, () => taken?.(piece));
  }

  end(piece, taken) {
    if (this.over) return;
    this.write(piece, taken);
    this.#end(EMPTY);
  }

  destroy() {
    this.#response.destroy();
    this.leave();
  }

  leave() {
    if (this.gone || this.#response.writableFinished) return;
    this.gone = true;
    this.#finish();
  }

  #end(body) {
    if (this.over) return;
    this.over = true;
    this.#response.end(body);
    this.onDrain?.();
  }

  #finish() {
    this.over = true;
    const { onOver, onDrain } = this;
    this.onOver = undefined;
    this.onDrain = undefined;
    onOver?.();
    onDrain?.();
  }
}

function headOf(request) {
  const lines = request.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text));
  const section = { minor: request.httpVersionMinor, lines, keepAlive: true, length: 0, expectsContinue: false, reading: undefined };
  return { method: request.method, target: request.url, section };
}

export class WireServer {
  #server;

  constructor(handlers) {
    this.#server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
      const head = headOf(request);
      const reply = new NodeReply(response);
      const { headers } = request;
      if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
        handlers.request(head, EMPTY, reply);
        return;
      }
      const pieces = [];
      request.on('data', (piece) => pieces.push(piece));
      request.on('end', () => handlers.request(head, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces), reply));
    });
  }

  get load() {
    return { bodyBytes: 0, connections: 0 };
  }

  listen(host, port) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => resolve(this.#server.address().port));
    });
  }

  async end() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    this.breakOff();
    await closed;
    return 'finished';
  }

  breakOff() {
    this.#server.closeAllConnections();
  }
}
