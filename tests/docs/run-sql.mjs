// Runs the statements of a file in PostgreSQL or ClickHouse: node run-sql.mjs FILE URL.
import { readFileSync } from 'node:fs';
import pg from 'pg';

const [file, address] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');

const clients = {
  async 'postgres:'() {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.query(text);
    await client.end();
  },
  async 'http:'() {
    const { username, password, origin, pathname, search } = new URL(address);
    const headers = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
    for (const body of text.split(/;$/m).filter((statement) => statement.trim() !== '')) {
      const answer = await fetch(origin + pathname + search, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(await answer.text());
    }
  },
};
await clients[new URL(address).protocol]();
