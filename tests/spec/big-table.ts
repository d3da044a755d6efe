// A table (or view) of many rows on each engine, filled by the engine itself, and a client that can
// stop reading.
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { EngineName, TestDatabase } from '../support/engines.ts';
import type { Service, TestProject } from '../support/service.ts';

const ITEMS = "concat('row ', n, ' of many, with some text to make it longer') AS t, n * 1.5 AS d";
const DIGITS =
  '(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';
const POWERS = [1, 10, 100, 1000, 10_000, 100_000];
const CROSSED = `SELECT ${POWERS.map((power, i) => `${power} * d${i}.d`).join(' + ')} + 1 AS n FROM ${POWERS.map((_, i) => `${DIGITS} d${i}`).join(', ')}`;

const TABLE = 'CREATE TABLE big (n int PRIMARY KEY, t varchar(100), d decimal(12,1))';

const STATEMENTS: Readonly<Record<EngineName, (rows: number) => readonly string[]>> = {
  postgres: (rows) => [`CREATE VIEW big AS SELECT n, ${ITEMS} FROM generate_series(1, ${rows}) AS n`],
  mariadb: (rows) => [TABLE, `INSERT INTO big SELECT n, ${ITEMS} FROM (SELECT seq AS n FROM seq_1_to_${rows}) AS numbers`],
  mysql: (rows) => [TABLE, `INSERT INTO big SELECT n, ${ITEMS} FROM (${CROSSED}) AS numbers WHERE n <= ${rows}`],
  clickhouse: (rows) => [
    `CREATE VIEW big AS SELECT number + 1 AS n, ${ITEMS.replaceAll(/\bn\b/g, 'toString(number + 1)').replace('toString(number + 1) * 1.5', '(number + 1) * 1.5')} FROM numbers(${rows})`,
  ],
};

export async function createBig(database: TestDatabase, rows: number): Promise<void> {
  for (const statement of STATEMENTS[database.engine](rows)) await database.run(statement);
}

/** A GET whose answer has begun, and may be read, left alone or dropped. */
export function openRead(service: Service, project: TestProject, database: TestDatabase, query: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `${project.autoPath(database.dbType, database.name, 'big')}?${query}`;
    const sent = request({ host: service.host, port: service.port, path, headers: project.headers, agent: false }, resolve);
    sent.on('error', reject);
    sent.end();
  });
}

/** Reads to the end; a transfer that breaks off is an error. */
export function drain(response: IncomingMessage, onChunk: (chunk: Buffer) => void = () => undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      onChunk(chunk);
    });
    response.on('end', () => (response.complete ? resolve(size) : reject(new Error('the transfer broke off'))));
    response.on('error', reject);
    response.on('aborted', () => reject(new Error('the transfer broke off')));
    response.resume();
  });
}

/** Counts rows as they arrive, in any format: each row contains the marker once. */
export class RowCounter {
  count = 0;
  #rest = Buffer.alloc(0);

  readonly add = (chunk: Buffer): void => {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let found = bytes.indexOf(WORDS); found >= 0; found = bytes.indexOf(WORDS, at)) {
      this.count++;
      at = found + WORDS.length;
    }
    this.#rest = bytes.subarray(Math.max(at, bytes.length - WORDS.length + 1));
  };
}

const WORDS = Buffer.from(' of many,');

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
