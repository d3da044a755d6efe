// Server, routing and ready line of the handlers written by hand. Nothing is checked, logged or
// authenticated, as in a handler written in an afternoon.
import { createServer } from 'node:http';

/**
 * `routes`: 'GET /path' → async (query, body, response) => value to send, or nothing if it has
 * responded.
 */
export function serve(routes) {
  const server = createServer(async (request, response) => {
    try {
      const { url } = request;
      const mark = url.indexOf('?');
      const route = routes[`${request.method} ${mark < 0 ? url : url.slice(0, mark)}`];
      if (!route) {
        response.writeHead(404).end();
        return;
      }
      const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
      const body = request.method === 'POST' || request.method === 'PATCH' ? await readJson(request) : undefined;
      const text = JSON.stringify(await route(query, body));
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
      response.end(text);
    } catch (error) {
      console.error(error);
      response.writeHead(500).end();
    }
  });
  server.keepAliveTimeout = 72_000;
  server.listen(0, '127.0.0.1', () => console.log(`ready on http://127.0.0.1:${server.address().port}`));
  process.on('SIGTERM', () => process.exit(0));
}

/** One pool per tenant, created on first use. */
export function poolPerTenant(open) {
  const pools = new Map();
  return (query) => {
    const tenant = `${query.get('database')} ${query.get('tenant')}`;
    let pool = pools.get(tenant);
    if (!pool) {
      pool = open(query.get('database'));
      pools.set(tenant, pool);
    }
    return pool;
  };
}

function readJson(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', reject);
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
  });
}

/** Joins orders with their users and lines. */
export function withLines(orders, lines) {
  const byOrder = new Map(orders.map(({ id }) => [id, []]));
  for (const line of lines) byOrder.get(line.order_id)?.push(line);
  return orders.map(({ id, user_id, note, name, email, created_at }) => ({
    id,
    user_id,
    note,
    user: { id: user_id, name, email, created_at },
    lines: byOrder.get(id),
  }));
}

/** A page of orders with their users. */
export const ORDERS_AND_USERS =
  'SELECT o.id, o.user_id, o.note, u.name, u.email, u.created_at FROM orders o LEFT JOIN users u ON u.id = o.user_id ORDER BY o.id';

/** Checks five inputs by hand. */
export function checked(query) {
  const id = Number(query.get('id'));
  if (!Number.isSafeInteger(id) || id < 1) throw new Error('id');
  const name = query.get('name');
  if (name !== null && name.length > 40) throw new Error('name');
  const since = query.get('since');
  if (since !== null && Number.isNaN(Date.parse(since))) throw new Error('since');
  const limit = Number(query.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new Error('limit');
  const active = query.get('active');
  if (active !== null && active !== 'true' && active !== 'false') throw new Error('active');
  return { id, name, since, limit, active: active === 'true' };
}

const NUMBERS = new Set(['int', 'integer', 'bigint', 'smallint', 'decimal', 'numeric', 'double', 'real']);

/** A document of all tables: a schema each, and paths to read and write it. */
export function openapi(columns) {
  const schemas = {};
  for (const { table_name, column_name, data_type, is_nullable } of columns) {
    schemas[table_name] ??= { type: 'object', properties: {} };
    schemas[table_name].properties[column_name] = { type: NUMBERS.has(data_type) ? 'number' : 'string', nullable: is_nullable === 'YES' };
  }
  const paths = {};
  for (const name of Object.keys(schemas)) {
    const content = { 'application/json': { schema: { type: 'array', items: { $ref: `#/components/schemas/${name}` } } } };
    const parameters = Object.keys(schemas[name].properties).map((column) => ({ name: column, in: 'query', schema: { type: 'string' } }));
    paths[`/${name}`] = {
      get: { parameters, responses: { 200: { description: 'Rows.', content } } },
      post: { requestBody: { content }, responses: { 200: { description: 'Inserted.' } } },
    };
  }
  return { openapi: '3.0.3', info: { title: 'Tables', version: '1' }, paths, components: { schemas } };
}
