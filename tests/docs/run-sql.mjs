// Runs the statements of a file in a PostgreSQL database, as the client of one's choice would: node run-sql.mjs FILE URL.
import { readFileSync } from 'node:fs';
import pg from 'pg';

const [file, connectionString] = process.argv.slice(2);
const client = new pg.Client({ connectionString });
await client.connect();
await client.query(readFileSync(file, 'utf8'));
await client.end();
