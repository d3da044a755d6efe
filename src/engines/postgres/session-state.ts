/**
 * Settings, time limit and transaction of a session on the server. Writes changes in front of the
 * next statement.
 */
import type { RunOptions } from '../contract/engine.ts';
import { BEGIN, READ_ONLY, SESSION } from './dialect/session.ts';
import type { Outgoing } from './protocol/outgoing.ts';

/** Transaction status of ReadyForQuery if no transaction is open. */
const IDLE = 0x49;

export class SessionState {
  /** From begin() until commit or rollback. */
  inTransaction = false;
  /** Transaction status of the last ReadyForQuery. */
  status = IDLE;
  readonly settings: string;
  /** Settings that are sent with the next statement. */
  #lead: string;
  /**
   * BEGIN that is sent with the next statement: if it fails, nothing ran outside of the
   * transaction.
   */
  #pendingBegin: string | undefined;
  /** The BEGIN of the open transaction. */
  #beginning = BEGIN;
  #timeoutMs = 0;

  constructor(isReadOnly: boolean) {
    this.settings = isReadOnly ? READ_ONLY : SESSION;
    this.#lead = this.settings;
  }

  /** `true` if nothing has been sent since begin(). */
  get isPending(): boolean {
    return this.#pendingBegin !== undefined;
  }

  get beginning(): string {
    return this.#beginning;
  }

  /** `true` if a statement has ended the transaction on its own (PREPARE TRANSACTION). */
  get hasEndedEarly(): boolean {
    return this.inTransaction && this.status === IDLE && !this.isPending;
  }

  begin(text: string): void {
    this.#beginning = text;
    this.#pendingBegin = text;
    this.inTransaction = true;
  }

  /** Returns whether there is a transaction to end on the server. */
  end(): boolean {
    const isOpen = this.inTransaction && !this.isPending;
    this.inTransaction = false;
    this.#pendingBegin = undefined;
    return isOpen;
  }

  limit({ timeoutMs, serverLimit }: RunOptions): void {
    if (timeoutMs === this.#timeoutMs || (serverLimit === 'any' && timeoutMs < this.#timeoutMs)) return;
    this.#timeoutMs = timeoutMs;
    const setting = `SET statement_timeout=${Math.max(1, Math.ceil(timeoutMs))}`;
    this.#lead = this.#lead === '' ? setting : `${setting}; ${this.#lead}`;
  }

  /**
   * Writes what is pending. Returns the number of ReadyForQuery messages that answer it, and
   * whether a transaction begins.
   */
  write(out: Outgoing): { readonly ready: number; readonly begins: boolean } {
    let ready = this.writeSettings(out);
    const begins = this.#pendingBegin !== undefined;
    if (this.#pendingBegin !== undefined) {
      out.begin(this.#pendingBegin);
      ready++;
    }
    this.#pendingBegin = undefined;
    return { ready, begins };
  }

  writeSettings(out: Outgoing): number {
    if (this.#lead === '') return 0;
    out.query(this.#lead);
    this.#lead = '';
    return 1;
  }

  /** Takes what is pending, to be sent on its own. */
  take(): readonly string[] {
    const texts = [this.#lead, this.#pendingBegin ?? ''].filter((text) => text !== '');
    this.#lead = '';
    this.#pendingBegin = undefined;
    return texts;
  }

  /** The session is as after the login. */
  reset(): void {
    this.#lead = '';
    this.#pendingBegin = undefined;
    this.#timeoutMs = 0;
  }
}
