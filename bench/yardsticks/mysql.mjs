// The yardstick for MySQL and MariaDB: `node:http` and `mysql2` with `execute`, which prepares each
// statement once per connection.
import mysql from 'mysql2/promise';
import { checked, ORDERS_AND_USERS, openapi, poolPerTenant, serve, withLines } from './handler.mjs';

const address = JSON.parse(process.env.BENCH_DATABASE);
/** The driver's default, about as fast as fifty connections and with a lower p99. */
const pool = mysql.createPool({ ...address, connectionLimit: 10 });
const COLUMNS = 'id, name, email, created_at';

const query = async (sql, values) => (await pool.execute(sql, values))[0];
const affected = async (sql, values) => ({ rows_affected: (await pool.execute(sql, values))[0].affectedRows });

/** A thousand rows have too many parameters to prepare, so `query` writes them into the text. */
async function insert(rows) {
  const values = rows.map((row) => [row.name, row.email, new Date(row.created_at)]);
  if (rows.length === 1) return affected('INSERT INTO notes (name, email, created_at) VALUES (?, ?, ?)', values[0]);
  const [result] = await pool.query('INSERT INTO notes (name, email, created_at) VALUES ?', [values]);
  return { rows_affected: result.affectedRows };
}

/** The same rows prepared: a statement for each number of rows. */
const prepared = (rows) =>
  affected(
    `INSERT INTO notes (name, email, created_at) VALUES (?, ?, ?)${', (?, ?, ?)'.repeat(rows.length - 1)}`,
    rows.flatMap((row) => [row.name, row.email, new Date(row.created_at)]),
  );

/** MySQL does not return inserted rows. */
async function insertReturned(row) {
  const [{ insertId }] = await pool.execute('INSERT INTO notes (name, email, created_at) VALUES (?, ?, ?)', [
    row.name,
    row.email,
    new Date(row.created_at),
  ]);
  return query(`SELECT ${COLUMNS} FROM notes WHERE id = ?`, [insertId]);
}

/** All rows in the text, as for an insert of many. */
async function patchMany([first, ...rows]) {
  const values = [first, ...rows].flatMap(({ id, name }) => [id, name]);
  const list = `SELECT ? AS id, ? AS name${' UNION ALL SELECT ?, ?'.repeat(rows.length)}`;
  const [result] = await pool.query(
    `UPDATE accounts JOIN (${list}) AS given ON given.id = accounts.id SET accounts.name = given.name`,
    values,
  );
  return { rows_affected: result.affectedRows };
}

const MONTHS =
  "SELECT CAST(DATE_FORMAT(created_at, '%Y-%m-01') AS DATETIME) AS month, count(*) AS count, sum(id) AS total, min(email) AS least FROM users GROUP BY 1 ORDER BY 1";
const ONE = `SELECT ${COLUMNS} FROM users WHERE id = ? ORDER BY id LIMIT 1`;
const one = (id) => query(ONE, [id]);

const poolsOf = (connectionLimit) => poolPerTenant((database) => mysql.createPool({ ...address, database, connectionLimit }));
const poolOf = poolsOf(1);
const fewOf = poolsOf(5);
const TABLE_COLUMNS =
  'SELECT table_name AS table_name, column_name AS column_name, data_type AS data_type, is_nullable AS is_nullable ' +
  'FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position';

serve({
  'GET /one': (q) => one(q.get('id')),
  'GET /page': (q) =>
    query(`SELECT ${COLUMNS} FROM users ORDER BY id LIMIT ? OFFSET ?`, [q.get('ps'), String(Number(q.get('pg')) * Number(q.get('ps')))]),
  'GET /orders': async (q) => {
    const orders = await query(`${ORDERS_AND_USERS} LIMIT ? OFFSET ?`, [q.get('ps'), String(Number(q.get('pg')) * Number(q.get('ps')))]);
    const ids = orders.map(({ id }) => id);
    const places = ids.map(() => '?').join();
    return withLines(
      orders,
      await query(`SELECT id, order_id, product, quantity FROM order_lines WHERE order_id IN (${places}) ORDER BY order_id, id`, ids),
    );
  },
  'GET /by-email': (q) => query(`SELECT ${COLUMNS} FROM users WHERE email = ? ORDER BY id LIMIT ?`, [q.get('email'), q.get('ps')]),
  'POST /notes': (_, rows) => insert(rows),
  'POST /notes/prepared': (_, rows) => prepared(rows),
  'PUT /accounts': (q) => affected('UPDATE accounts SET name = ? WHERE id = ?', [q.get('name'), q.get('id')]),
  'POST /notes/returned': (_, [row]) => insertReturned(row),
  'PATCH /accounts': (q, row) => affected('UPDATE accounts SET name = ?, email = ? WHERE id = ?', [row.name, row.email, q.get('id')]),
  'PATCH /accounts/many': (_, rows) => patchMany(rows),
  'GET /months': () => query(MONTHS, []),
  'DELETE /spares': (q) => affected('DELETE FROM spares WHERE id = ?', [q.get('id')]),
  'GET /summary': async (q) => {
    const rows = await one(q.get('id'));
    return { count: rows.length, names: rows.map((row) => row.name.toUpperCase()) };
  },
  'GET /checked': (q) => one(checked(q).id),
  'GET /after': (q) => query(`SELECT ${COLUMNS} FROM users WHERE id > ? ORDER BY id LIMIT ?`, [q.get('id'), q.get('ps')]),
  'GET /reader/one': (q) => query('SELECT id, name FROM users WHERE id >= ? AND id = ? ORDER BY id LIMIT 1', [q.get('low'), q.get('id')]),
  'GET /reader/page': (q) =>
    query('SELECT id, name FROM users WHERE id >= ? ORDER BY id LIMIT ? OFFSET ?', [
      q.get('low'),
      q.get('ps'),
      String(Number(q.get('pg')) * Number(q.get('ps'))),
    ]),
  'GET /openapi': async () => openapi(await query(TABLE_COLUMNS, [])),
  'GET /few': async (q) => (await fewOf(q).execute(ONE, [q.get('id')]))[0],
  'GET /tenant': async (q) => (await poolOf(q).execute(ONE, [q.get('id')]))[0],
});
