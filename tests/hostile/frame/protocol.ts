// The interface of a protocol to the suite: recording conversations, splitting messages, mutations.
import type { Statement } from '../../../src/sql/statement.ts';
import type { EngineName, TestDatabase } from '../../support/engines.ts';
import type { Random } from './random.ts';

/** Steps of the client, in order, on one connection. */
export type Step =
  | { readonly do: 'run'; readonly statement: Statement; readonly params: readonly (string | Buffer | null)[] }
  /** A statement that the database rejects; the conversation continues. */
  | { readonly do: 'fail'; readonly statement: Statement; readonly params: readonly (string | Buffer | null)[] }
  | { readonly do: 'begin' | 'commit' | 'rollback' | 'reset' }
  | { readonly do: 'describe'; readonly table: string };

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
}

/**
 * Bytes that the server sends once it has received `heard` bytes. The protocol splits `messages`.
 */
export interface Turn {
  readonly heard: number;
  readonly messages: readonly Buffer[];
  /** Repeated after the messages, up to a few megabytes. */
  readonly endless?: Buffer;
}

export interface Conversation {
  readonly script: Script;
  readonly turns: readonly Turn[];
}

/** Mutates a conversation. Must not change buffers in place, because recordings are shared. */
export type Mutation = (turns: readonly Turn[], random: Random, all: readonly Conversation[]) => readonly Turn[];

/** Probe on a separate connection that detects the protocol; it gets the correct response. */
export interface Probe {
  readonly question: string;
  readonly answer: string;
}

export interface Protocol {
  readonly name: string;
  readonly engine: EngineName;
  /** Statements that create the tables of the scripts. */
  readonly setUp: readonly string[];
  readonly scripts: readonly Script[];
  /** Address of the real server. */
  address(database: TestDatabase): { readonly host: string; readonly port: number };
  /** Splits one turn of the server into messages. Unparsable bytes stay in one piece. */
  frame(bytes: Buffer, turn: number): readonly Buffer[];
  /** Mutations of this protocol, by name. */
  readonly mutations: Readonly<Record<string, Mutation>>;
  /** A statement whose rows contain only the given canary, about 1 MB of it. */
  canary(text: string): Statement;
  /** `true` if the protocol always sends the password in clear text. */
  readonly sendsPassword: boolean;
  readonly probe?: Probe;
  /** Number of conversations between two checks of the canary, for slow engines. */
  readonly canaryEvery?: number;
}

/** Position of a message in the turns. */
export interface Place {
  readonly turn: number;
  readonly index: number;
  readonly message: Buffer;
}

export function places(turns: readonly Turn[], isWanted: (message: Buffer) => boolean = () => true): Place[] {
  return turns.flatMap(({ messages }, turn) => messages.flatMap((message, index) => (isWanted(message) ? [{ turn, index, message }] : [])));
}

/** Replaces the messages at one position by none, one or several. */
export function replaced(turns: readonly Turn[], { turn, index }: Omit<Place, 'message'>, ...messages: readonly Buffer[]): readonly Turn[] {
  return turns.map((one, i) => (i === turn ? { ...one, messages: one.messages.toSpliced(index, 1, ...messages) } : one));
}

/**
 * Changes one random message that matches. Returns the conversation unchanged if no message does.
 */
export function changing(
  isWanted: (message: Buffer) => boolean,
  change: (message: Buffer, random: Random) => Buffer | readonly Buffer[],
): Mutation {
  return (turns, random) => {
    const wanted = places(turns, isWanted);
    if (wanted.length === 0) return turns;
    const place = random.pick(wanted);
    const changed = change(Buffer.from(place.message), random);
    return replaced(turns, place, ...(Buffer.isBuffer(changed) ? [changed] : changed));
  };
}
