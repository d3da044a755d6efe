/** A write and the read of what it wrote leave together with the beginning of their transaction. Whichever of them fails, what is told of it is true. */
import { type AddressInfo, createServer, connect as dial, type Server as NetServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, describe as suite, test } from 'vitest';
import type { Connection, Outcome } from '../../../src/engines/engine.ts';
import type { Statement } from '../../../src/sql/statement.ts';
import { PATIENCE } from '../../support/patience.ts';
import { admin, Collector, connect, freshDatabase, OPTIONS, SERVERS, type Server, sql } from './support.ts';

const LAST = 'SELECT id, word FROM words WHERE id = LAST_INSERT_ID()';
const statement = (text: string): Statement => ({ text, types: [] });
const INSERT: Statement = { text: 'INSERT INTO words (word) VALUES (?)', types: [{ kind: 'text', cast: 'text' }] };

/** A link that counts the pieces in which commands come, and may change them. */
class Link {
  readonly sockets: Socket[] = [];
  pieces = 0;
  change: ((bytes: Buffer) => Buffer) | undefined;
  readonly #server: NetServer;

  constructor(at: Server) {
    this.#server = createServer((client) => {
      const target = dial(at.port, at.host);
      this.sockets.push(client, target);
      client.on('data', (bytes) => {
        this.pieces++;
        target.write(this.change?.(bytes) ?? bytes);
      });
      target.on('data', (bytes) => client.write(bytes));
      for (const [one, other] of [
        [client, target],
        [target, client],
      ] as const) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
      }
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}

suite.each(SERVERS)('%s: a write and its read', (_, at: Server) => {
  const database = 'millrace_write_and_read';
  let watcher: Connection;
  let link: Link;
  let connection: Connection;
  let rows: Collector;

  beforeAll(async () => {
    watcher = await freshDatabase(at, database);
    await sql(watcher, 'CREATE TABLE words (id int AUTO_INCREMENT PRIMARY KEY, word varchar(20) UNIQUE) ENGINE = InnoDB');
    await admin(
      at,
      database,
      "CREATE TRIGGER speaks BEFORE INSERT ON words FOR EACH ROW BEGIN IF NEW.word = 'slow' THEN DO SLEEP(2); END IF; IF NEW.word = 'bad' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not that'; END IF; END",
    );
  });
  afterAll(() => watcher.close());
  beforeEach(async () => {
    await sql(watcher, 'DELETE FROM words');
    link = new Link(at);
    await link.listen();
    connection = await connect(at, database, { tls: 'disable' }, link.port);
    rows = new Collector();
  });
  afterEach(() => {
    connection.close();
    link.stop();
  });

  const written = (word: string, read = LAST, timeoutMs: number = OPTIONS.timeoutMs): Promise<Outcome> | undefined =>
    connection.beginWriteAndRead?.(
      { statement: INSERT, params: [word] },
      { statement: statement(read), params: [], sink: rows },
      { timeoutMs },
    );
  const stored = async (): Promise<unknown> => (await sql(watcher, 'SELECT word FROM words ORDER BY id')).values.flat();
  const SLEEPING = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND DB = DATABASE()";
  const sleeping = (count: number): Promise<void> => expect.poll(async () => (await sql(watcher, SLEEPING)).rows, PATIENCE).toBe(count);

  test('leave in one piece, and nothing is there before the commit', async () => {
    await written('first');
    await connection.commit(OPTIONS);
    link.pieces = 0;
    const outcome = await written('first again');
    expect(link.pieces).toBe(1);
    expect(outcome?.rows).toBe(1);
    expect(rows.values.at(-1)).toEqual([String(outcome?.generated), 'first again']);
    expect(await stored()).toEqual(['first']);
    await connection.commit(OPTIONS);
    expect(await stored()).toEqual(['first', 'first again']);
  });

  test('what is taken back is gone', async () => {
    await written('gone');
    expect(await connection.rollback(OPTIONS)).toBe('all');
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['a key that is taken', 'twice', 'duplicate'],
    ['a trigger that refuses', 'bad', 'raised'],
  ])('%s: the write fails, although the read finds a row of before', async (__, word, kind) => {
    await written('twice');
    await connection.commit(OPTIONS);
    await expect(written(word)).rejects.toMatchObject({ kind, left: 'nothing' });
    await connection.rollback(OPTIONS);
    expect(await stored()).toEqual(['twice']);
    await written('next');
    await connection.commit(OPTIONS);
    expect(await stored()).toEqual(['twice', 'next']);
  });

  test('a read that cannot be prepared keeps the write from being sent', async () => {
    await expect(written('kept', 'SELECT nothing FROM words')).rejects.toMatchObject({ kind: 'missing_column', left: 'nothing' });
    expect(await stored()).toEqual([]);
  });

  test('a read that fails leaves nothing once it is taken back', async () => {
    await expect(written('failed', 'SELECT ~0 + id FROM words')).rejects.toMatchObject({ left: 'nothing' });
    await connection.rollback(OPTIONS);
    expect(await stored()).toEqual([]);
  });

  test('a read that takes too long, and one that is cut off: nothing is left', async () => {
    const slow = 'SELECT id, SLEEP(60) FROM words';
    await expect(written('late', slow, 300)).rejects.toMatchObject({ kind: 'timeout', left: 'nothing' });
    if (connection.usable) await connection.rollback(OPTIONS);
    await sleeping(0);
    expect(await stored()).toEqual([]);
    connection.close();
    connection = await connect(at, database, { tls: 'disable' }, link.port);
    const cut = expect(written('cut', slow)).rejects.toMatchObject({ kind: 'lost', left: 'nothing' });
    await sleeping(1);
    link.stop();
    await cut;
    await sleeping(0);
    await expect.poll(stored, PATIENCE).toEqual([]);
  });

  test('a write that is cut off', async () => {
    const cut = expect(written('slow')).rejects.toMatchObject({ kind: 'lost', left: 'unknown' });
    await sleeping(1);
    link.stop();
    await cut;
    await sleeping(0);
    expect(await stored()).toEqual([]);
  });

  test('a beginning that the server refuses: the write stands, and nobody says that it does not', async () => {
    link.change = (bytes) => Buffer.from(bytes.toString('latin1').replace('START TRANSACTION', 'START TRANSPARENT'), 'latin1');
    await expect(written('alone')).rejects.toMatchObject({ kind: 'syntax', left: 'unknown' });
    expect(await stored()).toEqual(['alone']);
    await expect(written('alone')).rejects.toMatchObject({ kind: 'duplicate', left: 'nothing' });
  });
});
