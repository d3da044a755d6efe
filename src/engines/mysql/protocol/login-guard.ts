/**
 * Guards `mysql2` during the login: it receives only whole packets, in order and within limits, and
 * only authentication methods that never send a clear-text password. No I/O.
 */
import { DbFailure } from '../../contract/engine.ts';
import { LIMITS, malformed } from '../../contract/limits.ts';

const HEADER = 4;
/** Greeting, method switch, one or two key exchanges, result. */
const MAX_PACKETS = 10;
/** Scrambles are 20 bytes and usually end with a zero. */
const SCRAMBLE = 20;
const PROTOCOL = 10;
/** Minimum size of a greeting after the version. */
const GREETING_TAIL = 44;

const OK = 0x00;
const MORE_DATA = 0x01;
const HASH_KNOWN = 0x03;
const SWITCH = 0xfe;
const ERROR = 0xff;

/** Methods that hash the password, or encrypt it by TLS or with the server's key. */
const METHODS: ReadonlySet<string> = new Set(['mysql_native_password', 'caching_sha2_password', 'sha256_password']);

/** Assembles received bytes into packets with their headers. */
export class LoginPackets {
  #pieces: Buffer[] = [];
  #size = 0;
  #wanted = HEADER;
  #total = 0;
  #packets = 0;

  /** Returns the packets that are complete. */
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
      if (++this.#packets > MAX_PACKETS) throw malformed('a login that is too long');
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

/** Replaces mysql2's own parser, and feeds it. */
export class LoginGuard implements Parser {
  readonly #packets = new LoginPackets();
  readonly #parser: Parser;
  readonly #sequence: () => number;
  readonly #refuse: (failure: unknown) => void;
  /** `true` once the login has started. */
  greeted = false;

  /** `sequence` returns the expected number of the next packet. */
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
    // The server may send packets only in response to ours, except the result that a packet
    // announces.
    if ((following > 0 || !this.#packets.empty) && !announcesVerdict(packet)) throw malformed('a response before a request');
    this.greeted = true;
    this.#parser.execute(packet);
  }

  #check(packet: Buffer, marker: number | undefined): void {
    if (!this.greeted) checkGreeting(packet);
    else if (marker === SWITCH) checkSwitch(packet);
    else if (marker !== OK && marker !== MORE_DATA) throw malformed('something other than the result of the login');
  }
}

function announcesVerdict(packet: Buffer): boolean {
  return packet.length === HEADER + 2 && packet[HEADER] === MORE_DATA && packet[HEADER + 1] === HASH_KNOWN;
}

function checkGreeting(packet: Buffer): void {
  const versionEnd = packet.indexOf(0, HEADER + 1);
  if (packet[HEADER] !== PROTOCOL || versionEnd < 0 || packet.length <= versionEnd + GREETING_TAIL)
    throw malformed('something other than a greeting');
}

function checkSwitch(packet: Buffer): void {
  const nameEnd = packet.indexOf(0, HEADER + 1);
  // A request without a name is for the hash of the 1990s, which is as good as the password.
  const name = nameEnd < 0 ? 'mysql_old_password' : packet.toString('latin1', HEADER + 1, nameEnd);
  if (!METHODS.has(name))
    throw new DbFailure('login', `The database asked for a login that is not given (${safe(name)})`, { code: 'AUTH_METHOD' });
  if (packet.length - nameEnd - 1 < SCRAMBLE) throw malformed('a login without its random part');
}

/** The server chose the name, and it is logged. */
function safe(name: string): string {
  return name.slice(0, 64).replace(/[^\w.-]/g, '?');
}
