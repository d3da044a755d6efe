/** Fields of definitions and personas, for completion. The service alone decides what is valid. */

export interface Shape {
  readonly about?: string;
  readonly fields?: Readonly<Record<string, Shape>>;
  /** Shape of fields whose names are the author's. */
  readonly any?: Shape;
  /** Shape of the items of a list. */
  readonly items?: Shape;
  readonly values?: readonly string[];
  /** Values or names that only the service knows. */
  readonly known?: 'databases' | 'roles' | 'tables' | 'columns';
}

const FLAG: Shape = { values: ['true', 'false'] };
const about = (text: string, shape: Shape = {}): Shape => ({ about: text, ...shape });

const TYPES = ['string', 'integer', 'number', 'boolean', 'date', 'timestamp', 'uuid', 'array', 'object', 'file', 'any'];

const declaration = (levels: number): Shape => ({
  fields: {
    type: { values: TYPES },
    required: FLAG,
    default: {},
    nullable: FLAG,
    description: {},
    example: {},
    enum: {},
    min_length: about('string'),
    max_length: about('string'),
    pattern: about('string, RE2'),
    minimum: about('number'),
    maximum: about('number'),
    min_items: about('array'),
    max_items: about('array'),
    max_bytes: about('file'),
    ...(levels === 0 ? {} : { items: about('array', declaration(levels - 1)), fields: about('object', { any: declaration(levels - 1) }) }),
  },
});

export const DEFINITION: Shape = {
  fields: {
    about: { fields: { summary: {}, description: {}, tags: {}, deprecated: FLAG } },
    permission: about('roles', { known: 'roles', items: { known: 'roles' } }),
    http: {
      fields: {
        uri: about('path/{name}'),
        method: { values: ['get', 'post', 'put', 'patch', 'delete'] },
        version: about('1.0.0'),
        input_type: { values: ['json', 'form', 'multipart'] },
      },
    },
    input: about('declared inputs', { any: declaration(3) }),
    logic: about('steps', {
      items: { fields: { sql: about('statement'), lark: about('name'), expr: about('name'), code: about('of lark or expr'), omit: FLAG } },
    }),
    response: {
      fields: {
        status: about('number or expr'),
        headers: {},
        body: about('name of a step'),
        file: { fields: { name: about('expr'), type: about('expr'), data: about('expr') } },
      },
    },
    config: {
      fields: {
        rollback_version: about('version'),
        cache_result: FLAG,
        cache_ttl_secs: about('seconds'),
        coalesce: FLAG,
        transaction: FLAG,
        tool: FLAG,
        limits: { fields: { steps: {}, memory_mb: {}, time_ms: {} } },
      },
    },
    database: {
      fields: {
        ref: { known: 'databases' },
        timeout_secs: about('seconds'),
        type: { values: ['postgres', 'mysql', 'mariadb', 'clickhouse'] },
        source_ip: {},
        port: {},
        username: {},
        password: {},
        name: {},
        tls: {},
      },
    },
  },
};

const COLUMNS: Shape = { known: 'columns', items: { known: 'columns' } };
const operation = (fields: Readonly<Record<string, Shape>>): Shape => ({ values: ['true', 'false'], fields });
const rows = about('filters');

const GRANTS: Shape = {
  fields: {
    read: operation({
      columns: COLUMNS,
      except: COLUMNS,
      rows,
      mask: about('column: value', { known: 'columns' }),
      max_page_size: about('rows'),
    }),
    insert: operation({ columns: COLUMNS, except: COLUMNS, set: about('column: value', { known: 'columns' }) }),
    update: operation({ columns: COLUMNS, except: COLUMNS, rows, set: about('column: value', { known: 'columns' }) }),
    delete: operation({ rows }),
  },
};

export const PERSONA: Shape = {
  fields: {
    persona: about('name'),
    about: {},
    roles: about('roles', { known: 'roles', items: { known: 'roles' } }),
    rank: about('the lowest applies'),
    tables: { known: 'tables', any: GRANTS },
  },
};

export function shapeAt(root: Shape, path: readonly string[]): Shape | undefined {
  let shape: Shape | undefined = root;
  for (const step of path) shape = step === '[]' ? shape?.items : (shape?.fields?.[step] ?? shape?.any);
  return shape;
}
