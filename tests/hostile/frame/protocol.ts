// What the suite has to know of a protocol: how a real conversation is made, where its messages begin, and what a liar would change in it.
import type { Statement } from '../../../src/sql/statement.ts';
import type { EngineName, TestDatabase } from '../../support/engines.ts';
import type { Random } from './random.ts';

/** What the client does, one after the other, on one connection. */
export type Step =
  | { readonly do: 'run'; readonly statement: Statement; readonly params: readonly (string | Buffer | null)[] }
  /** A statement that the database refuses; the conversation goes on. */
  | { readonly do: 'fail'; readonly statement: Statement; readonly params: readonly (string | Buffer | null)[] }
  | { readonly do: 'begin' | 'commit' | 'rollback' | 'reset' }
  | { readonly do: 'describe'; readonly table: string };

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** What the server says once it has heard so many bytes in all; `messages` are its bytes, cut where the protocol cuts them. */
export interface Turn {
  readonly heard: number;
  readonly messages: readonly Buffer[];
  /** Said again and again after the messages, up to a few megabytes. */
  readonly endless?: Buffer;
}

export interface Conversation {
  readonly script: Script;
  readonly turns: readonly Turn[];
}

/** Changes a conversation as a liar would. Buffers are never changed in place: recordings are shared. */
export type Mutation = (turns: readonly Turn[], random: Random, all: readonly Conversation[]) => readonly Turn[];

/** What a driver may ask on a connection of its own before it knows which protocol to speak; it is answered truly. */
export interface Probe {
  readonly question: string;
  readonly answer: string;
}

export interface Protocol {
  readonly name: string;
  readonly engine: EngineName;
  /** Statements that make what the scripts use. */
  readonly setUp: readonly string[];
  readonly scripts: readonly Script[];
  /** Where the real server is. */
  address(database: TestDatabase): { readonly host: string; readonly port: number };
  /** Cuts what the server said in one turn into messages; what cannot be cut stays in one piece. */
  frame(bytes: Buffer, turn: number): readonly Buffer[];
  /** Lies that only this protocol knows, by a name for the report. */
  readonly mutations: Readonly<Record<string, Mutation>>;
  /** A statement whose rows are nothing but the given canary, a megabyte or so of it. */
  canary(text: string): Statement;
  /** True where the protocol has no other way than to send the password as it is. */
  readonly sendsPassword: boolean;
  readonly probe?: Probe;
  /** So many conversations go by between two looks at the canary, where the engine is slow. */
  readonly canaryEvery?: number;
}

/** The place of one message among all turns. */
export interface Place {
  readonly turn: number;
  readonly index: number;
  readonly message: Buffer;
}

export function places(turns: readonly Turn[], isWanted: (message: Buffer) => boolean = () => true): Place[] {
  return turns.flatMap(({ messages }, turn) => messages.flatMap((message, index) => (isWanted(message) ? [{ turn, index, message }] : [])));
}

/** The same turns with other messages in one place: none, one or several. */
export function replaced(turns: readonly Turn[], { turn, index }: Omit<Place, 'message'>, ...messages: readonly Buffer[]): readonly Turn[] {
  return turns.map((one, i) => (i === turn ? { ...one, messages: one.messages.toSpliced(index, 1, ...messages) } : one));
}

/** Changes one message that is wanted, picked by chance; the conversation as it was when there is none. */
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
