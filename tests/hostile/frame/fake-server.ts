// A server that replays a conversation: it responds once it has received as many bytes as the real
// server had.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Probe, Turn } from './protocol.ts';
import { Random } from './random.ts';

export interface Performance {
  readonly turns: readonly Turn[];
  readonly seed: number;
  /** How the bytes are sent: whole, or split at random positions. */
  readonly pieces: 'whole' | 'split';
  /** After the last turn the connection is closed, or stays silent. */
  readonly ending: 'close' | 'silence';
  /** An honest server waits for its client, however busy the machine is. */
  readonly isHonest?: true;
}

const NOTHING: Performance = { turns: [], seed: 0, pieces: 'whole', ending: 'close' };
const ENDLESS_BYTES = 96 * 1024;
/** A client that sends less than the recorded one gets its response after this time. */
const QUIET_MS = 5;
const HONEST_MS = 1000;
/** A client that sends nothing may be waiting for a lost greeting. */
const UNHEARD_MS = 100;

export class FakeServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The conversation for new connections. */
  performance: Performance = NOTHING;
  /**
   * Called when a client, or either side, has sent bytes; with `ending` after the last bytes of the
   * server.
   */
  onWord: (ending?: Performance['ending']) => void = () => {};
  /** Bytes that clients have sent since the last check. */
  heard: Buffer[] = [];

  readonly #probe: Probe | undefined;

  private constructor(probe: Probe | undefined) {
    this.#probe = probe;
    this.#server = createServer((socket) => this.#play(socket, this.performance));
  }

  static async start(probe?: Probe): Promise<FakeServer> {
    const fake = new FakeServer(probe);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#sockets.size;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #play(socket: Socket, performance: Performance): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    const random = new Random(performance.seed);
    const turns = performance.turns.values();
    let next = turns.next();
    // Counted since the last turn: our password may be longer than the recorded one.
    let heard = 0;
    let before = 0;
    let isUnheard = true;
    let quietMs = performance.isHonest === true ? HONEST_MS : UNHEARD_MS;
    let speaking = false;
    let impatience: NodeJS.Timeout | undefined;
    const speak = async (isPatient: boolean): Promise<void> => {
      clearTimeout(impatience);
      if (speaking) return;
      speaking = true;
      for (let patient = isPatient; !next.done && (heard >= next.value.heard - before || !patient); next = turns.next()) {
        patient = true;
        before = next.value.heard;
        heard = 0;
        await say(socket, next.value, performance.pieces, random);
        this.onWord();
        if (socket.destroyed) return;
      }
      speaking = false;
      if (next.done) {
        this.onWord(performance.ending);
        if (performance.ending === 'close') socket.end();
      } else impatience = setTimeout(speak, quietMs, false);
    };
    socket.on('close', () => clearTimeout(impatience));
    socket.on('data', (chunk) => {
      if (isUnheard && this.#probe !== undefined && chunk.toString('latin1').startsWith(this.#probe.question)) {
        next = { done: true, value: undefined };
        socket.end(this.#probe.answer);
        return;
      }
      isUnheard = false;
      heard += chunk.length;
      quietMs = performance.isHonest === true ? HONEST_MS : QUIET_MS;
      this.onWord();
      this.heard.push(chunk);
      void speak(true);
    });
    void speak(true);
  }
}

async function say(socket: Socket, turn: Turn, pieces: Performance['pieces'], random: Random): Promise<void> {
  const bytes = Buffer.concat(turn.messages);
  if (pieces === 'whole') socket.write(bytes);
  else await saySplit(socket, bytes, random);
  const { endless } = turn;
  if (endless === undefined || endless.length === 0) return;
  const many = Buffer.concat(Array.from({ length: Math.ceil(32_768 / endless.length) }, () => endless));
  for (let said = 0; said < ENDLESS_BYTES && !socket.destroyed; said += many.length) if (!socket.write(many)) await drained(socket);
}

/** Writes up to twenty pieces, which usually arrive separately. */
async function saySplit(socket: Socket, bytes: Buffer, random: Random): Promise<void> {
  const cuts = Array.from({ length: 1 + random.below(20) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    if (socket.destroyed) return;
    if (to > from) socket.write(bytes.subarray(from, to));
    from = to;
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
