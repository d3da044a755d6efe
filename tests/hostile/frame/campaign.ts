// A campaign against one protocol: thousands of randomly mutated conversations, many at a time,
// while another connection of the process transfers canaries. Reports the results; the test decides
// which are right.
import { randomInt } from 'node:crypto';
import { DbFailure, type Engine } from '../../../src/engines/contract/engine.ts';
import { ENGINES } from '../../../src/engines/index.ts';
import { FORMATS } from '../../../src/formats/index.ts';
import { createDatabase, type TestDatabase } from '../../support/engines.ts';
import { playScript } from './client.ts';
import { FakeServer, type Performance } from './fake-server.ts';
import { GENERAL } from './mutations.ts';
import type { Conversation, Mutation, Protocol, Turn } from './protocol.ts';
import { Random } from './random.ts';
import { entryFor, record } from './recording.ts';
import { Watchman } from './watchman.ts';

const LANES = 16;
/**
 * A server that sends nothing more, or that never stops, is abandoned after this time, as by a
 * caller.
 */
const PATIENCE_MS = 30;
const GUARD_MS = 10_000;
/** A conversation must be over this long after the last bytes of either side. */
const HANG_MS = 1000;
const CANARY = 'CANARY-of-another-tenant';
/** Secrets that our driver must not send to an unverified server. */
const PASSWORD = 'PASSWORD-of-this-tenant';
/** Number of conversations between two checks of the canary. */
const CANARY_EVERY = 80;

export interface Report {
  readonly seed: number;
  readonly conversations: number;
  /** Number of conversations by result: `done`, or the kind of the failure. */
  readonly endings: Readonly<Record<string, number>>;
  /** Violations, with the number of the conversation. */
  readonly wrong: readonly string[];
  /**
   * Maximum ms from the last bytes to the end of a conversation, and of one tick of the event loop.
   */
  readonly longestMs: number;
  readonly longestRoundMs: number;
  /** Maximum growth of the process in bytes. */
  readonly grownBytes: number;
  readonly canaries: number;
}

interface Lie {
  readonly conversation: Conversation;
  readonly performance: Performance;
  readonly names: readonly string[];
  readonly format: string;
}

export interface CampaignOptions {
  readonly conversations: number;
  /** The mutations to use; all by default. */
  readonly only?: readonly string[];
}

export async function campaign(protocol: Protocol, options: CampaignOptions): Promise<Report> {
  const seed = Number(process.env['MILLRACE_TEST_HOSTILE_SEED'] ?? randomInt(2 ** 31));
  const database = await createDatabase(protocol.engine);
  try {
    for (const statement of protocol.setUp) await database.run(statement);
    const recorded = await record(protocol, database);
    return await new Campaign(protocol, database, recorded, seed).run(options);
  } finally {
    await database.drop();
  }
}

class Campaign {
  readonly #protocol: Protocol;
  readonly #database: TestDatabase;
  readonly #recorded: readonly Conversation[];
  readonly #seed: number;
  readonly #engine: Engine;
  readonly #endings: Record<string, number> = {};
  readonly #wrong: string[] = [];
  readonly #formats = [...FORMATS.keys()];
  #longest = 0;
  #canaries = 0;
  #next = 0;

  constructor(protocol: Protocol, database: TestDatabase, recorded: readonly Conversation[], seed: number) {
    this.#protocol = protocol;
    this.#database = database;
    this.#recorded = recorded;
    this.#seed = seed;
    const engine = ENGINES.find(database.dbType);
    if (engine === undefined) throw new Error(`no engine ${database.dbType}`);
    this.#engine = engine;
  }

  async run({ conversations, only }: CampaignOptions): Promise<Report> {
    const story = `${this.#protocol.name}, MILLRACE_TEST_HOSTILE_SEED=${this.#seed}`;
    process.stdout.write(`hostile ${story}: ${conversations} conversations from ${this.#recorded.length} recorded ones\n`);
    // Most of the cost of an error is its stack trace.
    Error.stackTraceLimit = 4;
    const watchman = new Watchman(story);
    await this.#checkHonest(watchman);
    const before = process.memoryUsage().rss;
    let most = before;
    const meter = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 50);
    try {
      await Promise.all(Array.from({ length: LANES }, () => this.#lane(conversations, only, watchman)));
    } finally {
      clearInterval(meter);
      await watchman.stop();
    }
    return {
      seed: this.#seed,
      conversations: this.#next,
      endings: this.#endings,
      wrong: this.#wrong,
      longestMs: this.#longest,
      longestRoundMs: watchman.longest,
      grownBytes: most - before,
      canaries: this.#canaries,
    };
  }

  /** Verifies that the unchanged recording succeeds; otherwise mutations would test nothing. */
  async #checkHonest(watchman: Watchman): Promise<void> {
    const server = await FakeServer.start(this.#protocol.probe);
    for (const conversation of this.#recorded) {
      for (const pieces of ['whole', 'split'] as const) {
        server.performance = { turns: conversation.turns, seed: 1, pieces, ending: 'close', isHonest: true };
        const { failure } = await this.#play(server, conversation, 'json', watchman);
        if (failure !== undefined)
          throw new Error(`the recorded "${conversation.script.name}" cannot be played (${pieces})`, { cause: failure });
      }
    }
    server.stop();
  }

  async #lane(conversations: number, only: readonly string[] | undefined, watchman: Watchman): Promise<void> {
    const server = await FakeServer.start(this.#protocol.probe);
    while (this.#next < conversations && this.#wrong.length < 20) {
      const index = this.#next++;
      const lie = this.#lie(Random.of(this.#seed, index), only);
      watchman.now(index);
      server.performance = lie.performance;
      server.heard = [];
      await this.#tell(server, lie, index, watchman);
      if (index % (this.#protocol.canaryEvery ?? CANARY_EVERY) === 0) await this.#readCanary();
    }
    server.stop();
  }

  #lie(random: Random, only: readonly string[] | undefined): Lie {
    const conversation = random.pick(this.#recorded);
    const own = Object.entries(this.#protocol.mutations).filter(([name]) => only?.includes(name) ?? true);
    const general = Object.entries(GENERAL).filter(([name]) => only?.includes(name) ?? true);
    const names: string[] = [];
    let turns: readonly Turn[] = conversation.turns;
    for (let n = random.pick([1, 1, 1, 2, 3]); n > 0; n--) {
      const isOwn = general.length === 0 || (own.length > 0 && random.chance(60));
      const [name, mutate]: [string, Mutation] = random.pick(isOwn ? own : general);
      turns = mutate(turns, random, this.#recorded);
      names.push(name);
    }
    const pieces = random.chance(30) ? 'split' : 'whole';
    const ending = random.chance(2) ? 'silence' : 'close';
    return { conversation, names, format: random.pick(this.#formats), performance: { turns, seed: random.bits(), pieces, ending } };
  }

  async #tell(server: FakeServer, lie: Lie, index: number, watchman: Watchman): Promise<void> {
    const { seen, failure, isAborted, hungMs } = await this.#play(server, lie.conversation, lie.format, watchman);
    this.#longest = Math.max(this.#longest, hungMs);
    const ending = failure === undefined ? 'done' : failure instanceof DbFailure ? failure.kind : 'no failure of a database';
    this.#endings[ending] = (this.#endings[ending] ?? 0) + 1;
    const wrong = (what: string): void =>
      void this.#wrong.push(`conversation ${index} (${lie.conversation.script.name}: ${lie.names.join(', ')}): ${what}`);
    if (failure !== undefined && !(failure instanceof DbFailure)) wrong(`ended with ${String((failure as Error).stack ?? failure)}`);
    // Our own row sink must never fail on data that a server sent.
    if (failure instanceof DbFailure && failure.kind === 'cancelled' && !isAborted)
      wrong(`the rows were not taken: ${String(failure.cause)}`);
    if (hungMs > HANG_MS) wrong(`hung for ${Math.round(hungMs)} ms`);
    if (seen.some((bytes) => bytes.includes(CANARY))) wrong('an answer or a failure has bytes of another connection');
    if (seen.some((bytes) => bytes.includes(PASSWORD))) wrong('an answer or a failure has the password');
    if (!this.#protocol.sendsPassword && Buffer.concat(server.heard).includes(PASSWORD)) wrong('the password was sent as it is');
  }

  async #play(server: FakeServer, { script }: Conversation, format: string, watchman: Watchman) {
    const abort = new AbortController();
    let guard = setTimeout(() => abort.abort(), GUARD_MS);
    let lastWord = watchman.clock;
    server.onWord = (ending) => {
      lastWord = watchman.clock;
      if (ending === undefined) return;
      clearTimeout(guard);
      guard = setTimeout(() => abort.abort(), ending === 'silence' ? PATIENCE_MS : GUARD_MS);
    };
    const at = { host: '127.0.0.1', port: server.port };
    const played = await playScript(this.#engine, entryFor(this.#database, at, PASSWORD), at, script, { format, signal: abort.signal });
    clearTimeout(guard);
    server.onWord = () => {};
    return { ...played, isAborted: abort.signal.aborted, hungMs: watchman.clock - lastWord };
  }

  /** Keeps the other tenant's connection busy, so that shared memory is filled. */
  async #readCanary(): Promise<void> {
    const at = this.#protocol.address(this.#database);
    const script = { name: 'canary', steps: [{ do: 'run', statement: this.#protocol.canary(CANARY), params: [] }] } as const;
    const entry = entryFor(this.#database, at, this.#database.address.password);
    const { seen, failure } = await playScript(this.#engine, entry, at, script, { format: 'csv' });
    if (failure !== undefined || !seen.some((bytes) => bytes.includes(CANARY)))
      this.#wrong.push(`the other tenant's connection failed: ${String(failure)}`);
    this.#canaries++;
  }
}
