// A server that plays a conversation to whoever connects: it answers when it has heard as much as the real one had, whatever that was.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Probe, Turn } from './protocol.ts';
import { Random } from './random.ts';

export interface Performance {
  readonly turns: readonly Turn[];
  readonly seed: number;
  /** How the bytes travel: as they are, or in pieces that end anywhere. */
  readonly pieces: 'whole' | 'split';
  /** When all is said: the connection is closed, or nothing happens any more. */
  readonly ending: 'close' | 'silence';
  /** A server that tells the truth waits for its client, however busy the machine is. */
  readonly isHonest?: true;
}

const NOTHING: Performance = { turns: [], seed: 0, pieces: 'whole', ending: 'close' };
const ENDLESS_BYTES = 96 * 1024;
/** A client that says less than the recorded one is answered after so long. */
const QUIET_MS = 5;
const HONEST_MS = 1000;
/** One that says nothing at all may be waiting for a greeting that was lost. */
const UNHEARD_MS = 100;

export class FakeServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What is played to those who connect from now on. */
  performance: Performance = NOTHING;
  /** Something was said on any connection; by either side; with an ending it was the server's last word. */
  onWord: (ending?: Performance['ending']) => void = () => {};
  /** What clients have said since somebody last looked. */
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
    // Since the last turn: our password may be longer than the one that the real server heard.
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

/** Up to twenty pieces, each of which is likely to arrive by itself. */
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
