/**
 * A write and the SELECT that reads it back are sent as one transaction. Whichever part fails, the
 * reported outcome is correct.
 */
import { type AddressInfo, createServer, connect as dial, type Server as NetServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, describe as suite, test } from 'vitest';
import type { Connection, Outcome } from '../../../src/engines/contract/engine.ts';
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

  function written(word: string, read: string | Statement = LAST, timeoutMs: number = OPTIONS.timeoutMs, sink = rows): Promise<Outcome> {
    const reading = typeof read === 'string' ? statement(read) : read;
    const done = connection.writeAndRead?.(
      { statement: INSERT, params: [word] },
      { statement: reading, params: [], sink },
      { timeoutMs },
    ) as Promise<Outcome>;
    done.catch(() => undefined);
    return done;
  }
  const stored = async (): Promise<unknown> => (await sql(watcher, 'SELECT word FROM words ORDER BY id')).values.flat();
  const SLEEPING = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND DB = DATABASE()";
  const sleeping = (count: number): Promise<void> => expect.poll(async () => (await sql(watcher, SLEEPING)).rows, PATIENCE).toBe(count);

  // Only this database: other tests use the same server.
  const OPEN =
    'SELECT COUNT(*) FROM information_schema.INNODB_TRX t JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id WHERE t.trx_rows_modified > 0 AND p.DB = DATABASE()';
  const openTransactions = (): Promise<unknown> => sql(watcher, OPEN).then(({ values }) => values[0]?.[0]);

  test('are sent in one packet, and are committed', async () => {
    await written('first');
    link.pieces = 0;
    const outcome = await written('first again');
    expect(link.pieces).toBe(1);
    expect(outcome.rows).toBe(1);
    expect(rows.values.at(-1)).toEqual([String(outcome.generated), 'first again']);
    await connection.rollback(OPTIONS);
    expect(await stored()).toEqual(['first', 'first again']);
  });

  test.each([
    ['a key that is taken', 'twice', 'duplicate'],
    ['a trigger that refuses', 'bad', 'raised'],
  ])('%s: the write fails, although the read finds a row of before', async (__, word, kind) => {
    await written('twice');
    await expect(written(word)).rejects.toMatchObject({ kind, effect: 'nothing' });
    expect(await stored()).toEqual(['twice']);
    await written('next');
    expect(await stored()).toEqual(['twice', 'next']);
  });

  test('a read that cannot be prepared prevents the write', async () => {
    await expect(written('kept', 'SELECT nothing FROM words')).rejects.toMatchObject({ kind: 'missing_column', effect: 'nothing' });
    expect(await stored()).toEqual([]);
  });

  test('a read that fails does not claim that the write had no effect', async () => {
    await expect(written('failed', 'SELECT ~0 + id FROM words')).rejects.toMatchObject({ effect: 'unknown' });
    expect(await stored()).toEqual(['failed']);
  });

  test('a read whose kinds differ from the plan returns nothing, and the write is kept', async () => {
    const columns = [
      { name: 'id', kind: 'int' },
      { name: 'word', kind: 'int' },
    ] as const;
    const outcome = await written('other', { ...statement(LAST), columns, onOtherKinds: 'fail' });
    expect(outcome).toMatchObject({ rows: 1, generated: expect.anything() });
    expect([rows.columns, rows.values]).toEqual([[], []]);
    expect(await stored()).toEqual(['other']);
  });

  test('a read that times out or loses its connection does not claim that the write had no effect', async () => {
    const slow = 'SELECT id, SLEEP(60) FROM words';
    await expect(written('late', slow, 300)).rejects.toMatchObject({ kind: 'timeout', effect: 'unknown' });
    await sleeping(0);
    await expect.poll(stored, PATIENCE).toEqual(['late']);
    connection.close();
    connection = await connect(at, database, { tls: 'disable' }, link.port);
    const cut = expect(written('cut', "SELECT id, IF(word = 'cut', SLEEP(3), 0) FROM words")).rejects.toMatchObject({
      kind: 'lost',
      effect: 'unknown',
    });
    await sleeping(1);
    link.stop();
    await cut;
    await sleeping(0);
  });

  test('a write that loses its connection has an unknown effect', async () => {
    const cut = expect(written('slow')).rejects.toMatchObject({ kind: 'lost', effect: 'unknown' });
    await sleeping(1);
    link.stop();
    await cut;
    await sleeping(0);
  });

  const replaced = (from: string, to: string) => (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');

  test('a write is committed on its own when the server rejects the BEGIN', async () => {
    link.change = replaced('START TRANSACTION', 'START TRANSPARENT');
    expect(await written('alone')).toMatchObject({ rows: 1 });
    expect(await stored()).toEqual(['alone']);
    await expect(written('alone')).rejects.toMatchObject({ kind: 'duplicate', effect: 'nothing' });
  });

  test('a COMMIT that the server rejects leaves the effect unknown', async () => {
    link.change = replaced('COMMIT', 'COMMAT');
    await expect(written('open')).rejects.toMatchObject({ kind: 'syntax', effect: 'unknown' });
  });

  test('concurrent writes on one connection get their own rows, fail alone, and leave no open transaction', async () => {
    await written('taken');
    link.pieces = 0;
    connection.cork?.();
    const words = ['a', 'taken', 'b', 'bad', 'c'];
    const sinks = words.map(() => new Collector());
    const writes = words.map((word, i) => written(word, LAST, OPTIONS.timeoutMs, sinks[i]));
    connection.uncork?.();
    for (const i of [0, 2, 4]) {
      const outcome = await writes[i];
      expect(sinks[i]?.values).toEqual([[String(outcome?.generated), words[i]]]);
    }
    await expect(writes[1]).rejects.toMatchObject({ kind: 'duplicate', effect: 'nothing' });
    await expect(writes[3]).rejects.toMatchObject({ kind: 'raised', effect: 'nothing' });
    expect(link.pieces).toBe(1);
    expect(await stored()).toEqual(['taken', 'a', 'b', 'c']);
    await expect.poll(openTransactions, PATIENCE).toBe('0');
    expect(connection.usable).toBe(true);
  });
});
