// The yardstick for PostgreSQL: a handler on `pg` with named statements, as a careful user of that
// driver writes it.
import pg from 'pg';
import { checked, ORDERS_AND_USERS, openapi, poolPerTenant, serve, withLines } from './handler.mjs';

const address = JSON.parse(process.env.BENCH_DATABASE);
/** As long as the service keeps its connections, so that no login falls between two rounds. */
const IDLE_MS = 900_000;
const open = (database, max) => {
  const pool = new pg.Pool({ ...address, database, max, idleTimeoutMillis: IDLE_MS });
  pool.on('error', () => {});
  return pool;
};
/** The driver's default, faster than fifty connections and with a lower p99. */
const pool = open(address.database, 10);
const COLUMNS = 'id, name, email, created_at';

const one = { name: 'one', text: `SELECT ${COLUMNS} FROM users WHERE id = $1 ORDER BY id LIMIT 1` };
const page = { name: 'page', text: `SELECT ${COLUMNS} FROM users ORDER BY id LIMIT $1 OFFSET $2` };
const byEmail = { name: 'by-email', text: `SELECT ${COLUMNS} FROM users WHERE email = $1 ORDER BY id LIMIT $2` };
const orders = { name: 'orders', text: `${ORDERS_AND_USERS} LIMIT $1 OFFSET $2` };
const lines = {
  name: 'lines',
  text: 'SELECT id, order_id, product, quantity FROM order_lines WHERE order_id = ANY ($1) ORDER BY order_id, id',
};
const insertOne = { name: 'insert-one', text: 'INSERT INTO notes (name, email, created_at) VALUES ($1, $2, $3)' };
const update = { name: 'update', text: 'UPDATE accounts SET name = $1 WHERE id = $2' };
const insertReturned = { name: 'insert-returned', text: `${insertOne.text} RETURNING ${COLUMNS}` };
const patchOne = { name: 'patch-one', text: 'UPDATE accounts SET name = $1, email = $2 WHERE id = $3' };
const patchMany = {
  name: 'patch-many',
  text: 'UPDATE accounts SET name = given.name FROM unnest($1::int[], $2::text[]) AS given (id, name) WHERE accounts.id = given.id',
};
const after = { name: 'after', text: `SELECT ${COLUMNS} FROM users WHERE id > $1 ORDER BY id LIMIT $2` };
const readerOne = { name: 'reader-one', text: 'SELECT id, name FROM users WHERE id >= $1 AND id = $2 ORDER BY id LIMIT 1' };
const readerPage = { name: 'reader-page', text: 'SELECT id, name FROM users WHERE id >= $1 ORDER BY id LIMIT $2 OFFSET $3' };
const columns = {
  name: 'columns',
  text: "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position",
};
const months = {
  name: 'months',
  text: "SELECT date_trunc('month', created_at) AS month, count(*) AS count, sum(id) AS total, min(email) AS least FROM users GROUP BY 1 ORDER BY 1",
};
const remove = { name: 'remove', text: 'DELETE FROM spares WHERE id = $1' };

/** INSERT statements for n rows, each created once. */
const insertTexts = new Map([[1, insertOne]]);
function insertMany(n) {
  let statement = insertTexts.get(n);
  if (!statement) {
    const rows = Array.from({ length: n }, (_, i) => `($${i * 3 + 1}, $${i * 3 + 2}, $${i * 3 + 3})`);
    statement = { name: `insert-${n}`, text: `INSERT INTO notes (name, email, created_at) VALUES ${rows.join(', ')}` };
    insertTexts.set(n, statement);
  }
  return statement;
}

const query = async (statement, values) => (await pool.query({ ...statement, values })).rows;
const affected = async (statement, values) => ({ rows_affected: (await pool.query({ ...statement, values })).rowCount });

const poolOf = poolPerTenant((database) => open(database, 1));
const fewOf = poolPerTenant((database) => open(database, 5));

serve({
  'GET /one': (q) => query(one, [q.get('id')]),
  'GET /page': (q) => query(page, [q.get('ps'), Number(q.get('pg')) * Number(q.get('ps'))]),
  'GET /orders': async (q) => {
    const found = await query(orders, [q.get('ps'), Number(q.get('pg')) * Number(q.get('ps'))]);
    return withLines(found, await query(lines, [found.map(({ id }) => id)]));
  },
  'GET /by-email': (q) => query(byEmail, [q.get('email'), q.get('ps')]),
  'POST /notes': (_, rows) =>
    affected(
      insertMany(rows.length),
      rows.flatMap((row) => [row.name, row.email, row.created_at]),
    ),
  'PUT /accounts': (q) => affected(update, [q.get('name'), q.get('id')]),
  'POST /notes/returned': (_, [row]) => query(insertReturned, [row.name, row.email, row.created_at]),
  'PATCH /accounts': (q, row) => affected(patchOne, [row.name, row.email, q.get('id')]),
  'PATCH /accounts/many': (_, rows) => affected(patchMany, [rows.map(({ id }) => id), rows.map(({ name }) => name)]),
  'GET /months': () => query(months, []),
  'DELETE /spares': (q) => affected(remove, [q.get('id')]),
  'GET /summary': async (q) => {
    const rows = await query(one, [q.get('id')]);
    return { count: rows.length, names: rows.map((row) => row.name.toUpperCase()) };
  },
  'GET /checked': (q) => query(one, [checked(q).id]),
  'GET /after': (q) => query(after, [q.get('id'), q.get('ps')]),
  'GET /reader/one': (q) => query(readerOne, [q.get('low'), q.get('id')]),
  'GET /reader/page': (q) => query(readerPage, [q.get('low'), q.get('ps'), Number(q.get('pg')) * Number(q.get('ps'))]),
  'GET /openapi': async () => openapi(await query(columns, [])),
  'GET /few': async (q) => (await fewOf(q).query({ ...one, values: [q.get('id')] })).rows,
  'GET /tenant': async (q) => (await poolOf(q).query({ ...one, values: [q.get('id')] })).rows,
});
