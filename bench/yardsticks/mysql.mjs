// The yardstick for MySQL and MariaDB: a handler on `mysql2` with `execute`, which prepares each statement once per connection.
import mysql from 'mysql2/promise';
import { ORDERS_AND_USERS, poolPerTenant, serve, withLines } from './handler.mjs';

const address = JSON.parse(process.env.BENCH_DATABASE);
const pool = mysql.createPool({ ...address, connectionLimit: 50 });
const COLUMNS = 'id, name, email, created_at';

const query = async (sql, values) => (await pool.execute(sql, values))[0];
const affected = async (sql, values) => ({ rows_affected: (await pool.execute(sql, values))[0].affectedRows });

/** A thousand rows have more parameters than one wants to prepare: `query` writes such a list into the text itself. */
async function insert(rows) {
  const values = rows.map((row) => [row.name, row.email, new Date(row.created_at)]);
  if (rows.length === 1) return affected('INSERT INTO notes (name, email, created_at) VALUES (?, ?, ?)', values[0]);
  const [result] = await pool.query('INSERT INTO notes (name, email, created_at) VALUES ?', [values]);
  return { rows_affected: result.affectedRows };
}

const ONE = `SELECT ${COLUMNS} FROM users WHERE id = ? ORDER BY id LIMIT 1`;
const one = (id) => query(ONE, [id]);

const poolOf = poolPerTenant((database) => mysql.createPool({ ...address, database, connectionLimit: 1 }));

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
  'PUT /accounts': (q) => affected('UPDATE accounts SET name = ? WHERE id = ?', [q.get('name'), q.get('id')]),
  'DELETE /spares': (q) => affected('DELETE FROM spares WHERE id = ?', [q.get('id')]),
  'GET /summary': async (q) => {
    const rows = await one(q.get('id'));
    return { count: rows.length, names: rows.map((row) => row.name.toUpperCase()) };
  },
  'GET /tenant': async (q) => (await poolOf(q).execute(ONE, [q.get('id')]))[0],
});
