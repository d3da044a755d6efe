// A table per engine with a column of every kind, as its catalog describes it, and values of each
// kind.
// kind.
import type { MysqlColumn } from '../../src/engines/mysql/types/column-types.ts';
import { type Column, type Kind, makeTable, type Table } from '../../src/model/table.ts';

export const DIALECTS = ['pg', 'ms', 'ma', 'ch'] as const;
export type DialectName = (typeof DIALECTS)[number];

type Facts = Pick<Column, 'type' | 'cast'> & Partial<MysqlColumn>;

/** Types by engine and kind; `null` if the engine lacks the kind. */
const COLUMNS: Readonly<Record<DialectName, Readonly<Record<Kind, Facts | null>>>> = {
  pg: {
    int: { type: 'integer', cast: '"pg_catalog"."int4"' },
    decimal: { type: 'numeric(10,2)', cast: '"pg_catalog"."numeric"', precision: 10, scale: 2 },
    float: { type: 'double precision', cast: '"pg_catalog"."float8"' },
    bool: { type: 'boolean', cast: '"pg_catalog"."bool"' },
    text: { type: 'character varying(40)', cast: '"pg_catalog"."varchar"', maxLength: 40 },
    enum: { type: 'mood', cast: '"public"."mood"', values: ['fine', 'bad'] },
    set: null,
    uuid: { type: 'uuid', cast: '"pg_catalog"."uuid"' },
    date: { type: 'date', cast: '"pg_catalog"."date"' },
    time: { type: 'time without time zone', cast: '"pg_catalog"."time"', fraction: 6 },
    timestamp: { type: 'timestamp without time zone', cast: '"pg_catalog"."timestamp"', fraction: 6 },
    timestamptz: { type: 'timestamp with time zone', cast: '"pg_catalog"."timestamptz"', fraction: 6 },
    bytes: { type: 'bytea', cast: '"pg_catalog"."bytea"' },
    json: { type: 'integer[]', cast: '"pg_catalog"."_int4"', sortable: false },
    other: { type: 'inet', cast: '"pg_catalog"."inet"' },
  },
  ms: {
    int: { type: 'int', cast: 'signed' },
    decimal: { type: 'decimal(10,2)', cast: 'decimal', precision: 10, scale: 2 },
    float: { type: 'double', cast: 'double' },
    bool: null,
    text: { type: 'varchar(40)', cast: 'text', maxLength: 40 },
    enum: { type: "enum('fine','bad')", cast: 'text', values: ['fine', 'bad'] },
    set: { type: "set('fine','bad')", cast: 'text', values: ['fine', 'bad'] },
    uuid: null,
    date: { type: 'date', cast: 'date' },
    time: { type: 'time', cast: 'time', fraction: 0 },
    timestamp: { type: 'datetime(3)', cast: 'datetime', fraction: 3 },
    timestamptz: { type: 'timestamp(3)', cast: 'datetime', fraction: 3 },
    bytes: { type: 'varbinary(40)', cast: 'binary', maxLength: 40 },
    json: { type: 'json', cast: 'json', sortable: false },
    other: { type: 'point', cast: 'text', geometry: { srid: null }, sortable: false },
  },
  ma: {
    int: { type: 'int(11)', cast: 'signed' },
    decimal: { type: 'decimal(10,2)', cast: 'decimal', precision: 10, scale: 2 },
    float: { type: 'double', cast: 'double' },
    bool: null,
    text: { type: 'varchar(40)', cast: 'text', maxLength: 40 },
    enum: { type: "enum('fine','bad')", cast: 'text', values: ['fine', 'bad'] },
    set: { type: "set('fine','bad')", cast: 'text', values: ['fine', 'bad'] },
    uuid: { type: 'uuid', cast: 'text' },
    date: { type: 'date', cast: 'date' },
    time: { type: 'time', cast: 'time', fraction: 0 },
    timestamp: { type: 'datetime(3)', cast: 'datetime', fraction: 3 },
    timestamptz: { type: 'timestamp(3)', cast: 'datetime', fraction: 3 },
    bytes: { type: 'varbinary(40)', cast: 'binary', maxLength: 40 },
    json: { type: 'longtext', cast: 'json', sortable: false },
    other: { type: 'inet6', cast: 'text' },
  },
  ch: {
    int: { type: 'Nullable(Int32)', cast: 'Int32' },
    decimal: { type: 'Nullable(Decimal(10, 2))', cast: 'Decimal(10, 2)', precision: 10, scale: 2 },
    float: { type: 'Nullable(Float64)', cast: 'Float64' },
    bool: { type: 'Nullable(Bool)', cast: 'Bool' },
    text: { type: 'Nullable(String)', cast: 'String' },
    enum: { type: "Nullable(Enum8('fine' = 1, 'bad' = 2))", cast: "Enum8('fine' = 1, 'bad' = 2)", values: ['fine', 'bad'] },
    set: null,
    uuid: { type: 'Nullable(UUID)', cast: 'UUID' },
    date: { type: 'Nullable(Date32)', cast: 'Date32' },
    time: null,
    timestamp: null,
    timestamptz: { type: "Nullable(DateTime64(3, 'UTC'))", cast: "DateTime64(3, 'UTC')", fraction: 3 },
    bytes: null,
    json: { type: 'Array(Int32)', cast: 'Array(Int32)', nullable: false },
    other: { type: 'Nullable(IPv6)', cast: 'IPv6' },
  },
};

/** Two values of each kind, in ascending order. */
export const VALUES: Readonly<Record<Kind, readonly [string, string]>> = {
  int: ['-5', '7'],
  decimal: ['-1.50', '2.25'],
  float: ['-0.5', '1.5e3'],
  bool: ['false', 'true'],
  text: ['50%_!', 'Ünï'],
  enum: ['bad', 'fine'],
  set: ['bad', 'fine'],
  uuid: ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-0000000000ff'],
  date: ['2024-01-31', '2024-02-29'],
  time: ['10:00:00', '11:30:00'],
  timestamp: ['2024-01-31T10:00:00', '2024-02-29T10:00:00.5'],
  timestamptz: ['2024-01-31T10:00:00Z', '2024-02-29T10:00:00.5Z'],
  bytes: ['AAE=', '/w=='],
  json: ['[1]', '[1,2]'],
  other: ['::1', '::2'],
};

const column = (name: string, kind: Kind, facts: Facts): Column => ({
  name,
  kind,
  nullable: true,
  primaryKey: false,
  default: null,
  required: false,
  readOnly: false,
  sortable: true,
  ...(kind === 'int' ? { min: -(2n ** 31n), max: 2n ** 31n - 1n } : {}),
  ...facts,
});

export function kindsTable(engine: DialectName): Table {
  const id = COLUMNS[engine].int;
  if (id === null) throw new Error('every engine has whole numbers');
  const columns = Object.entries(COLUMNS[engine]).flatMap(([kind, facts]) => (facts === null ? [] : [column(kind, kind as Kind, facts)]));
  const type = id.type.replace(/^Nullable\((.*)\)$/, '$1');
  return makeTable({
    schema: 'shop',
    name: 'things',
    kind: 'table',
    storage: '',
    transactional: engine !== 'ch',
    columns: [column('id', 'int', { ...id, type, nullable: false, primaryKey: engine !== 'ch', required: true }), ...columns],
    key: ['id'],
    keyRepeats: engine === 'ch',
  });
}
