// Related tables with every kind of relation on each engine, with the same rows. Where an engine
// has no foreign keys, the entry of the database declares them.
import { createDatabase, type DatabaseEntry, type EngineName, type TestDatabase } from '../support/engines.ts';

interface Key {
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: { readonly table: string; readonly columns: readonly string[] };
}

const key = (table: string, columns: readonly string[], other: string, referred: readonly string[] = ['id']): Key => ({
  table,
  columns,
  references: { table: other, columns: referred },
});

export const KEYS: readonly Key[] = [
  key('orders', ['customer_id'], 'customer'),
  key('parcel', ['sender_id'], 'customer'),
  key('parcel', ['receiver_id'], 'customer'),
  key('profile', ['customer_id'], 'customer'),
  key('item', ['order_id'], 'orders'),
  key('item', ['product_id'], 'product'),
  key('product_tag', ['product_id'], 'product'),
  key('product_tag', ['tag_id'], 'tag'),
  key('employee', ['manager_id'], 'employee'),
  key('visit', ['country', 'city'], 'place', ['country', 'city']),
  key('trip', ['customer_id'], 'customer'),
  key('trip', ['country', 'city'], 'place', ['country', 'city']),
];

interface Types {
  readonly int: string;
  readonly text: string;
  readonly decimal: string;
  readonly moment: string;
}

const TYPES: Readonly<Record<EngineName, Types>> = {
  postgres: { int: 'int', text: 'text', decimal: 'numeric(20,4)', moment: 'timestamp(3)' },
  mysql: { int: 'int', text: 'varchar(50)', decimal: 'decimal(20,4)', moment: 'datetime(3)' },
  mariadb: { int: 'int', text: 'varchar(50)', decimal: 'decimal(20,4)', moment: 'datetime(3)' },
  clickhouse: { int: 'Int32', text: 'String', decimal: 'Decimal(20, 4)', moment: 'DateTime64(3)' },
};

/** Table → columns; `?` may be NULL. */
const TABLES: Readonly<Record<string, { readonly columns: Readonly<Record<string, string>>; readonly key: readonly string[] }>> = {
  customer: { columns: { id: 'int', code: 'text', name: 'text' }, key: ['id'] },
  profile: { columns: { id: 'int', customer_id: 'int', bio: 'text?' }, key: ['id'] },
  product: { columns: { id: 'int', name: 'text', price: 'decimal' }, key: ['id'] },
  tag: { columns: { id: 'int', label: 'text' }, key: ['id'] },
  product_tag: { columns: { product_id: 'int', tag_id: 'int' }, key: ['product_id', 'tag_id'] },
  orders: { columns: { id: 'int', customer_id: 'int?', status: 'text', total: 'decimal?', placed_at: 'moment' }, key: ['id'] },
  item: { columns: { order_id: 'int', line: 'int', product_id: 'int', quantity: 'int' }, key: ['order_id', 'line'] },
  parcel: { columns: { id: 'int', sender_id: 'int', receiver_id: 'int?' }, key: ['id'] },
  employee: { columns: { id: 'int', name: 'text', manager_id: 'int?' }, key: ['id'] },
  place: { columns: { country: 'text', city: 'text', people: 'int' }, key: ['country', 'city'] },
  visit: { columns: { id: 'int', country: 'text?', city: 'text?' }, key: ['id'] },
  trip: { columns: { customer_id: 'int', country: 'text', city: 'text' }, key: ['customer_id', 'country', 'city'] },
};

const UNIQUE: Readonly<Record<string, readonly string[]>> = { customer: ['code'], profile: ['customer_id'] };

export type Cell = string | number | null;

export const ROWS: Readonly<Record<string, readonly (readonly Cell[])[]>> = {
  customer: [
    [1, 'ada', 'Ada'],
    [2, 'bob', 'Bob, the "second"'],
    [3, 'cy', 'Cy'],
  ],
  profile: [
    [10, 1, 'likes <b>; & "quotes"'],
    [11, 3, null],
  ],
  product: [
    [1, 'pen', '1.5000'],
    [2, 'ink', '1234567890123456.7891'],
    [3, 'pad', '0.0001'],
  ],
  tag: [
    [1, 'new'],
    [2, 'old'],
    [3, 'unused'],
  ],
  product_tag: [
    [1, 1],
    [1, 2],
    [2, 1],
  ],
  orders: [
    [1, 1, 'open', '10.0000', '2024-01-02 03:04:05.678'],
    [2, 1, 'paid', null, '2024-02-02 03:04:05.000'],
    [3, 2, 'open', '0.1000', '2024-03-02 03:04:05.000'],
    [4, null, 'lost', '99.9999', '2024-04-02 03:04:05.000'],
  ],
  item: [
    [1, 1, 1, 5],
    [1, 2, 2, 1],
    [1, 3, 3, 7],
    [2, 1, 1, 2],
    [3, 1, 2, 9],
  ],
  parcel: [
    [1, 1, 2],
    [2, 2, 1],
    [3, 1, null],
  ],
  employee: [
    [1, 'Eve', null],
    [2, 'Fay', 1],
    [3, 'Gus', 1],
    [4, 'Hal', 2],
  ],
  place: [
    ['at', 'Wien', 2000000],
    ['fr', 'Paris', 2100000],
  ],
  visit: [
    [1, 'fr', 'Paris'],
    [2, 'at', 'Wien'],
    [3, 'fr', null],
    [4, 'fr', 'Paris'],
  ],
  trip: [
    [1, 'at', 'Wien'],
    [1, 'fr', 'Paris'],
    [2, 'fr', 'Paris'],
  ],
};

export const COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(TABLES).map(([name, { columns }]) => [name, Object.keys(columns)]),
);

function createTable(engine: EngineName, name: string): string {
  const { columns, key: primary } = TABLES[name] as (typeof TABLES)[string];
  const items = Object.entries(columns).map(([column, type]) => {
    const own = TYPES[engine][type.replace('?', '') as keyof Types];
    const nullable = type.endsWith('?');
    if (engine === 'clickhouse') return `${column} ${nullable ? `Nullable(${own})` : own}`;
    return `${column} ${own}${nullable ? '' : ' NOT NULL'}`;
  });
  if (engine === 'clickhouse') return `CREATE TABLE ${name} (${items.join(', ')}) ENGINE = MergeTree ORDER BY (${primary.join(', ')})`;
  const unique = UNIQUE[name];
  const keys = KEYS.filter(({ table }) => table === name).map(
    ({ columns: own, references: { table, columns: other } }) =>
      `FOREIGN KEY (${own.join(', ')}) REFERENCES ${table} (${other.join(', ')})`,
  );
  const parts = [
    ...items,
    `PRIMARY KEY (${primary.join(', ')})`,
    ...(unique === undefined ? [] : [`UNIQUE (${unique.join(', ')})`]),
    ...keys,
  ];
  return `CREATE TABLE ${name} (${parts.join(', ')})`;
}

const literal = (cell: Cell): string => (typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : String(cell ?? 'NULL'));

export interface Shop {
  readonly database: TestDatabase;
  readonly entry: DatabaseEntry & { readonly relations?: readonly Key[] };
}

export async function createShop(engine: EngineName): Promise<Shop> {
  const database = await createDatabase(engine);
  for (const name of Object.keys(TABLES)) {
    await database.run(createTable(engine, name));
    const rows = (ROWS[name] ?? []).map((row) => `(${row.map(literal).join(', ')})`);
    await database.run(`INSERT INTO ${name} VALUES ${rows.join(', ')}`);
  }
  const entry = database.entry();
  return { database, entry: engine === 'clickhouse' ? { ...entry, relations: KEYS } : entry };
}
