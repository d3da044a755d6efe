// The yardstick for ClickHouse: a handler on `@clickhouse/client` with query parameters and
// JSONEachRow.
import { createClient } from '@clickhouse/client';
import { poolPerTenant, serve } from './handler.mjs';

const { host, port, user, password, database } = JSON.parse(process.env.BENCH_DATABASE);
const open = (database, connections) =>
  createClient({
    url: `http://${host}:${port}`,
    username: user,
    password,
    database,
    max_open_connections: connections,
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
const client = open(database, 50);
const poolOf = poolPerTenant((name) => open(name, 1));
const fewOf = poolPerTenant((name) => open(name, 5));
const COLUMNS = 'id, name, email, created_at';

const query = async (text, parameters, on = client) =>
  (await on.query({ query: text, query_params: parameters, format: 'JSONEachRow' })).json();

/** Lightweight DELETE and ALTER … UPDATE do not report matched rows, so a count precedes them. */
async function change(table, id, text, parameters) {
  const [{ n }] = await query(`SELECT count() AS n FROM ${table} WHERE id = {id:Int32}`, { id });
  await client.command({ query: text, query_params: { id, ...parameters }, clickhouse_settings: { mutations_sync: '1' } });
  return { rows_affected: Number(n) };
}

const one = (id, on) => query(`SELECT ${COLUMNS} FROM users WHERE id = {id:Int32} ORDER BY id LIMIT 1`, { id }, on);

serve({
  'GET /one': (q) => one(q.get('id')),
  'GET /page': (q) =>
    query(`SELECT ${COLUMNS} FROM users ORDER BY id LIMIT {ps:UInt32} OFFSET {from:UInt64}`, {
      ps: q.get('ps'),
      from: Number(q.get('pg')) * Number(q.get('ps')),
    }),
  'GET /by-email': (q) =>
    query(`SELECT ${COLUMNS} FROM users WHERE email = {email:String} ORDER BY id LIMIT {ps:UInt32}`, {
      email: q.get('email'),
      ps: q.get('ps'),
    }),
  'POST /notes': async (_, rows) => {
    await client.insert({ table: 'notes', values: rows, columns: ['name', 'email', 'created_at'], format: 'JSONEachRow' });
    return { rows_affected: rows.length };
  },
  'PUT /accounts': (q) =>
    change('accounts', q.get('id'), 'ALTER TABLE accounts UPDATE name = {name:String} WHERE id = {id:Int32}', { name: q.get('name') }),
  'GET /months': () =>
    query(
      'SELECT toStartOfMonth(created_at) AS month, count() AS count, sum(id) AS total, min(email) AS least FROM users GROUP BY month ORDER BY month',
      {},
    ),
  'DELETE /spares': (q) => change('spares', q.get('id'), 'DELETE FROM spares WHERE id = {id:Int32}', {}),
  'GET /summary': async (q) => {
    const rows = await one(q.get('id'));
    return { count: rows.length, names: rows.map((row) => row.name.toUpperCase()) };
  },
  'GET /after': (q) =>
    query(`SELECT ${COLUMNS} FROM users WHERE id > {id:Int32} ORDER BY id LIMIT {ps:UInt32}`, { id: q.get('id'), ps: q.get('ps') }),
  'GET /few': (q) => one(q.get('id'), fewOf(q)),
  'GET /tenant': (q) => one(q.get('id'), poolOf(q)),
});
