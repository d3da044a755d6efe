/**
 * Handshake from the first message to the first ReadyForQuery: startup, authentication, and the key
 * for cancelling. A server may request one proof, once, and a clear-text password only over TLS. No
 * I/O.
 */
import { createHash } from 'node:crypto';
import type { Entry } from '../../../model/entry.ts';
import { DbFailure } from '../../contract/engine.ts';
import { LIMITS, malformed } from '../../contract/limits.ts';
import { connectFailure } from '../dialect/failures.ts';
import { errorFields, MessageFields, type OnMessage, RECEIVED } from './incoming.ts';
import { MECHANISM, Scram } from './scram.ts';

/** Identifies the connection in a cancel request. */
export interface CancelKey {
  readonly processId: number;
  readonly secret: Buffer;
}

export interface Channel {
  /** `true` inside TLS. */
  readonly isPrivate: boolean;
  send(message: Buffer): void;
}

const VERSION = 0x0003_0000;
const LONGEST_SECRET = 256;
const NO_KEY: CancelKey = { processId: 0, secret: Buffer.alloc(4) };

/** Authentication requests of a server. */
const ASKED = { nothing: 0, password: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;

/**
 * States of a handshake.
 * welcome: nothing was requested yet.
 * sent: the proof was sent.
 * scram, answering, answered: the three steps of SCRAM.
 * admitted: the server has accepted the login.
 * done: the server is ready.
 */
type State = 'welcome' | 'sent' | 'scram' | 'answering' | 'answered' | 'admitted' | 'done';

export class Handshake {
  readonly #entry: Entry;
  readonly #channel: Channel;
  readonly #done: (key: CancelKey) => void;
  readonly #fail: (failure: unknown) => void;
  #state: State = 'welcome';
  #scram: Scram | undefined;
  #key = NO_KEY;
  #received = 0;

  constructor(entry: Entry, channel: Channel, done: (key: CancelKey) => void, fail: (failure: unknown) => void) {
    this.#entry = entry;
    this.#channel = channel;
    this.#done = done;
    this.#fail = fail;
  }

  begin(): void {
    const { username, database } = this.#entry;
    const fields = ['user', username, 'database', database, 'application_name', 'millrace', 'client_encoding', 'UTF8'];
    // A zero byte would end the field and start another one.
    if (fields.some((text) => text.includes('\0'))) throw new DbFailure('login', 'a zero byte is in the name of the user or the database');
    const version = Buffer.alloc(4);
    version.writeInt32BE(VERSION);
    this.#channel.send(framed(undefined, version, ...fields.map(text), Buffer.alloc(1)));
  }

  readonly message: OnMessage = (type, bytes, from, to) => {
    this.#received += to - from;
    if (this.#received > LIMITS.loginBytes) throw malformed(`a login of more than ${LIMITS.loginBytes} bytes`);
    if (this.#state === 'done' && type !== RECEIVED.notice && type !== RECEIVED.parameterStatus) throw unexpected(type);
    switch (type) {
      case RECEIVED.authentication:
        this.#authentication(new MessageFields(bytes, from, to));
        return;
      case RECEIVED.error:
        throw refusal(errorFields(bytes, from, to));
      case RECEIVED.backendKey:
        this.#backendKey(new MessageFields(bytes, from, to));
        return;
      case RECEIVED.ready:
        if (this.#state !== 'admitted') throw unexpected(type);
        this.#state = 'done';
        this.#done(this.#key);
        return;
      case RECEIVED.notice:
      case RECEIVED.parameterStatus:
        return;
      default:
        throw unexpected(type);
    }
  };

  #backendKey(fields: MessageFields): void {
    if (this.#state !== 'admitted') throw unexpected(RECEIVED.backendKey);
    const processId = fields.int32();
    if (fields.left < 4 || fields.left > LONGEST_SECRET) throw malformed(`a key of ${fields.left} bytes`);
    this.#key = { processId, secret: fields.bytes(fields.left) };
  }

  #authentication(fields: MessageFields): void {
    const method = fields.int32();
    switch (method) {
      case ASKED.nothing:
        this.#admit();
        return;
      case ASKED.password:
        this.#step('welcome', 'sent');
        if (!this.#channel.isPrivate)
          throw new DbFailure(
            'login',
            'the server requests the password in clear text, which is sent over TLS only: set `tls` of the entry',
          );
        this.#channel.send(framed('p', text(this.#password())));
        return;
      case ASKED.md5:
        this.#step('welcome', 'sent');
        this.#channel.send(framed('p', text(`md5${md5(md5(this.#password() + this.#entry.username), fields.bytes(4))}`)));
        return;
      case ASKED.sasl:
        this.#step('welcome', 'scram');
        this.#sasl(fields);
        return;
      case ASKED.saslContinue:
        this.#step('scram', 'answering');
        this.#prove(fields.bytes(fields.left).toString('latin1')).catch(this.#fail);
        return;
      case ASKED.saslFinal:
        this.#step('answered', 'sent');
        this.#scram?.verify(fields.bytes(fields.left).toString('latin1'));
        return;
      default:
        throw new DbFailure('login', `the server requests authentication method ${method}, which is not supported`);
    }
  }

  #admit(): void {
    const isProven = this.#scram === undefined || this.#scram.isVerified;
    if (!isProven || (this.#state !== 'welcome' && this.#state !== 'sent')) throw unexpected(RECEIVED.authentication);
    this.#state = 'admitted';
  }

  #step(from: State, to: State): void {
    if (this.#state !== from) throw unexpected(RECEIVED.authentication);
    this.#state = to;
  }

  #sasl(fields: MessageFields): void {
    const mechanisms: string[] = [];
    for (let name = fields.text(); name !== ''; name = fields.text()) mechanisms.push(name);
    if (!mechanisms.includes(MECHANISM)) throw new DbFailure('login', `the server requests SASL authentication without ${MECHANISM}`);
    this.#scram = new Scram();
    const first = Buffer.from(this.#scram.first);
    const size = Buffer.alloc(4);
    size.writeInt32BE(first.length);
    this.#channel.send(framed('p', text(MECHANISM), size, first));
  }

  async #prove(challenge: string): Promise<void> {
    const proof = await this.#scram?.final(challenge, this.#entry.password);
    this.#step('answering', 'answered');
    this.#channel.send(framed('p', Buffer.from(proof ?? '')));
  }

  #password(): string {
    const { password } = this.#entry;
    if (password === '') throw new DbFailure('login', 'the server requests a password, and the entry has none');
    return password;
  }
}

function unexpected(type: number): DbFailure {
  return malformed(`a message of type 0x${type.toString(16)} out of order during the login`);
}

function refusal(fields: ReadonlyMap<string, string>): DbFailure {
  return connectFailure({ code: fields.get('C') ?? '', message: fields.get('M') ?? 'unknown error' });
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

const md5 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Adds type and length to a message. Only the first message has no type. */
function framed(type: 'p' | undefined, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(type === undefined ? 4 : 5);
  head.write(type ?? '', 'latin1');
  head.writeInt32BE(body.length + 4, head.length - 4);
  return Buffer.concat([head, body]);
}
