/**
 * Guards `mysql2` while it logs in: it receives only whole packets, in order, few and small, and only authentication methods that never send the
 * password in plain text. Anything else ends the login. Knows no sockets and no passwords.
 */
import { DbFailure } from '../../contract/engine.ts';
import { LIMITS, malformed } from '../../contract/limits.ts';

const HEADER = 4;
/** A greeting, a switch of the method, a key or two answers of it, and the verdict. */
const PACKETS_MOST = 10;
/** Scrambles are 20 bytes and mostly end with a zero. */
const SCRAMBLE = 20;
const PROTOCOL = 10;
/** What follows the version in a greeting, at least. */
const GREETING_TAIL = 44;

const OK = 0x00;
const MORE_DATA = 0x01;
const HASH_KNOWN = 0x03;
const SWITCH = 0xfe;
const ERROR = 0xff;

/** The password travels hashed, or encrypted by TLS or by the server's key. */
const METHODS: ReadonlySet<string> = new Set(['mysql_native_password', 'caching_sha2_password', 'sha256_password']);

/** Assembles the pieces of a stream into packets, with their headers. */
export class LoginPackets {
  #pieces: Buffer[] = [];
  #size = 0;
  #wanted = HEADER;
  #total = 0;
  #packets = 0;

  /** The packets that are complete by now. */
  take(piece: Buffer): Buffer[] {
    this.#total += piece.length;
    if (this.#total > LIMITS.loginBytes) throw malformed('more than a login takes');
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < this.#wanted) return [];
    return this.#split(Buffer.concat(this.#pieces));
  }

  get empty(): boolean {
    return this.#size === 0;
  }

  #split(bytes: Buffer): Buffer[] {
    const found: Buffer[] = [];
    let at = 0;
    for (;;) {
      this.#wanted = bytes.length - at < HEADER ? HEADER : HEADER + bytes.readUIntLE(at, 3);
      if (this.#wanted > LIMITS.loginBytes) throw malformed('more than a login takes');
      if (bytes.length - at < this.#wanted) break;
      if (++this.#packets > PACKETS_MOST) throw malformed('a login without end');
      found.push(bytes.subarray(at, at + this.#wanted));
      at += this.#wanted;
    }
    this.#pieces = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#size = bytes.length - at;
    return found;
  }
}

interface Parser {
  execute(piece: Buffer): unknown;
}

/** Takes the place of mysql2's own parser, and feeds it. */
export class LoginGuard implements Parser {
  readonly #packets = new LoginPackets();
  readonly #parser: Parser;
  readonly #sequence: () => number;
  readonly #refuse: (failure: unknown) => void;
  /** Did the login pass through here? */
  greeted = false;

  /** `sequence` is the expected number of the next packet. */
  constructor(parser: Parser, sequence: () => number, refuse: (failure: unknown) => void) {
    this.#parser = parser;
    this.#sequence = sequence;
    this.#refuse = refuse;
  }

  execute(piece: Buffer): void {
    try {
      const packets = this.#packets.take(piece);
      for (const [i, packet] of packets.entries()) this.#pass(packet, packets.length - i - 1);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #pass(packet: Buffer, following: number): void {
    if (packet.length === HEADER) throw malformed('an empty packet');
    if (packet[HEADER - 1] !== this.#sequence()) throw malformed('packets out of order');
    const marker = packet[HEADER];
    if (marker !== ERROR) this.#check(packet, marker);
    // Packets of a login are answers to ours, and after the last one we go first; but one says only that the verdict follows.
    if ((following > 0 || !this.#packets.empty) && !announcesVerdict(packet)) throw malformed('an answer before there was a question');
    this.greeted = true;
    this.#parser.execute(packet);
  }

  #check(packet: Buffer, marker: number | undefined): void {
    if (!this.greeted) checkGreeting(packet);
    else if (marker === SWITCH) checkSwitch(packet);
    else if (marker !== OK && marker !== MORE_DATA) throw malformed('something else where it must let us in or not');
  }
}

function announcesVerdict(packet: Buffer): boolean {
  return packet.length === HEADER + 2 && packet[HEADER] === MORE_DATA && packet[HEADER + 1] === HASH_KNOWN;
}

function checkGreeting(packet: Buffer): void {
  const versionEnd = packet.indexOf(0, HEADER + 1);
  if (packet[HEADER] !== PROTOCOL || versionEnd < 0 || packet.length <= versionEnd + GREETING_TAIL)
    throw malformed('something else than a greeting');
}

function checkSwitch(packet: Buffer): void {
  const nameEnd = packet.indexOf(0, HEADER + 1);
  // A bare request is for the hash of the 1990s, which is as good as the password.
  const name = nameEnd < 0 ? 'mysql_old_password' : packet.toString('latin1', HEADER + 1, nameEnd);
  if (!METHODS.has(name))
    throw new DbFailure('login', `The database asked for a login that is not given (${safe(name)})`, { code: 'AUTH_METHOD' });
  if (packet.length - nameEnd - 1 < SCRAMBLE) throw malformed('a login without its random part');
}

/** A server chose the name, and it goes to the log. */
function safe(name: string): string {
  return name.slice(0, 64).replace(/[^\w.-]/g, '?');
}
