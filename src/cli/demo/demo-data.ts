// The demo database: a small shop with a few thousand rows, the same on every machine. It is
// created once; later changes by users stay.
import pg from 'pg';

export const DEMO_DATABASE = 'shop';
/** The same shop in another space, with fewer rows. */
export const PROD_DATABASE = 'shop_prod';

export interface DemoServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const TABLES = `
CREATE TABLE users (
  id int PRIMARY KEY,
  name varchar(100) NOT NULL,
  email varchar(100) UNIQUE NOT NULL,
  created_at timestamptz DEFAULT now()
);
CREATE TABLE customers (
  id int PRIMARY KEY,
  name varchar(100) NOT NULL,
  email varchar(100) UNIQUE NOT NULL,
  country char(2) NOT NULL,
  joined_on date NOT NULL,
  newsletter boolean NOT NULL DEFAULT false
);
CREATE TABLE products (
  id int PRIMARY KEY,
  sku varchar(20) UNIQUE NOT NULL,
  name varchar(100) NOT NULL,
  category varchar(40) NOT NULL,
  price numeric(10,2) NOT NULL CHECK (price > 0),
  stock int NOT NULL DEFAULT 0,
  attributes jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE orders (
  id bigint PRIMARY KEY,
  customer_id int NOT NULL REFERENCES customers,
  status varchar(20) NOT NULL CHECK (status IN ('new', 'paid', 'shipped', 'returned')),
  note text,
  placed_at timestamptz NOT NULL
);
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON orders (placed_at);
CREATE TABLE order_items (
  order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
  line int NOT NULL,
  product_id int NOT NULL REFERENCES products,
  quantity int NOT NULL CHECK (quantity > 0),
  unit_price numeric(10,2) NOT NULL,
  PRIMARY KEY (order_id, line)
);
CREATE INDEX ON order_items (product_id);
`;

// Values follow from the row's number by factors that are coprime to their ranges, so neighbours
// differ.
const ROWS = `
INSERT INTO users (id, name, email, created_at)
SELECT n, name, lower(name) || n || '@example.com', timestamptz '2024-01-01 08:00:00+00' + n * interval '7 hours 13 minutes'
FROM generate_series(1, 100) AS n,
  LATERAL (SELECT (ARRAY['Ada','Grace','Alan','Edsger','Barbara','Donald','Frances','Niklaus','Radia','Ken'])[1 + n * 7 % 10] AS name) AS names;

INSERT INTO customers (id, name, email, country, joined_on, newsletter)
SELECT n, first_name || ' ' || last_name, lower(first_name) || '.' || n || '@example.com',
  (ARRAY['DE','FR','NL','GB','US','IN','JP','BR'])[1 + n * 5 % 8], date '2022-01-01' + n * 37 % 1000, n % 3 = 0
FROM generate_series(1, 500) AS n,
  LATERAL (SELECT
    (ARRAY['Mia','Noah','Emma','Liam','Zoé','José','Aarav','Yuki','Chloe','Søren','Ana'])[1 + n * 3 % 11] AS first_name,
    (ARRAY['Miller','Rivers','Weir','Brook','Ford','Poole','Beck','Wells','Marsh','Bridges','Banks','Dale','Lake'])[1 + n * 5 % 13] AS last_name
  ) AS names;

INSERT INTO products (id, sku, name, category, price, stock, attributes)
SELECT n, 'SKU-' || lpad(n::text, 5, '0'), adjective || ' ' || thing, category, (199 + n * 733 % 20000)::numeric / 100, n * 17 % 250,
  jsonb_build_object('weight_g', 50 + n * 31 % 4000, 'colours', jsonb_build_array(colour, 'black'))
FROM generate_series(1, 200) AS n,
  LATERAL (SELECT
    (ARRAY['Oak','Brass','Linen','Copper','Slate','Willow','Iron'])[1 + n * 3 % 7] AS adjective,
    (ARRAY['Lamp','Chair','Kettle','Clock','Basket','Shelf','Bowl','Rug','Mirror'])[1 + n * 2 % 9] AS thing,
    (ARRAY['home','kitchen','office','garden','bath'])[1 + n * 2 % 5] AS category,
    (ARRAY['red','green','blue','white'])[1 + n % 4] AS colour
  ) AS words;

INSERT INTO orders (id, customer_id, status, note, placed_at)
SELECT n, 1 + n * 211 % 500, (ARRAY['new','paid','shipped','shipped','shipped','returned'])[1 + n * 5 % 6],
  CASE WHEN n % 10 = 0 THEN 'Please leave it with the neighbours.' END,
  timestamptz '2024-01-01 00:00:00+00' + n * interval '3 hours 7 minutes 11 seconds'
FROM generate_series(1, 3000) AS n;

INSERT INTO order_items (order_id, line, product_id, quantity, unit_price)
SELECT o.id, line, p.id, 1 + (o.id + line) % 4, p.price
FROM orders AS o, LATERAL generate_series(1, 1 + o.id % 4) AS line, products AS p
WHERE p.id = 1 + (o.id * 13 + line * 53) % 200;
`;

const FEW_ROWS = 'DELETE FROM orders WHERE id > 300;';

/** Creates the demo databases if the server has none. */
export async function ensureDemoData(server: DemoServer): Promise<void> {
  await withClient(server, 'postgres', async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    for (const name of [DEMO_DATABASE, PROD_DATABASE])
      if (!rows.some(({ datname }) => datname === name)) await client.query(`CREATE DATABASE ${name}`);
  });
  await ensureTables(server, DEMO_DATABASE, ROWS);
  await ensureTables(server, PROD_DATABASE, ROWS + FEW_ROWS);
}

/** Creates the tables of the demo in an existing database. */
export async function ensureTables(server: DemoServer, database: string, content = ROWS): Promise<void> {
  await withClient(server, database, async (client) => {
    // One transaction, whose last table marks completion: an interrupted start leaves nothing
    // behind.
    await client.query('BEGIN');
    const { rows } = await client.query<{ made: boolean }>("SELECT to_regclass('public.order_items') IS NOT NULL AS made");
    if (!rows[0]?.made) {
      await client.query(TABLES);
      await client.query(content);
    }
    await client.query('COMMIT');
    if (!rows[0]?.made) await client.query('ANALYZE');
  });
}

async function withClient(server: DemoServer, database: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ host: server.host, port: server.port, user: server.user, password: server.password, database });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
