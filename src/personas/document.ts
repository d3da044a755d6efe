/**
 * Reads the document of a persona and reports all problems with their positions. No I/O: `check.ts`
 * compares tables and columns with the databases.
 */
import { apiError } from '../errors.ts';
import {
  type ColumnGrant,
  type GrantedTable,
  type InsertGrant,
  type Operation,
  PERSONA_NAME,
  type Persona,
  type PresetValue,
  type ReadGrant,
  type RowRule,
  type TableGrants,
  type TableKey,
  type UpdateGrant,
} from '../model/persona.ts';
import { runToEnd, type Slices } from '../util/concurrency/slices.ts';
import { callerValueName, isCallerValue, KNOWN_NAMES } from './caller-values.ts';
import { DocumentReader, type MapPart, type Part } from './document-reader.ts';
import { columnsOf, InvalidRule, parseRule } from './rules.ts';
import { childPath, type DocumentSource, readJsonSource, UnreadableSource, yamlSourceSlices } from './source.ts';

export type SourceType = 'yaml' | 'json';

const DEFAULT_RANK = 100;
const MAX_ABOUT_LENGTH = 500;
const MAX_ROLE_LENGTH = 128;
const MAX_NAME_LENGTH = 255;
const MAX_INTEGER = 1_000_000_000;
/** Fields that `get` adds to a document, accepted here so that the document can be put again. */
const READ_ONLY_FIELDS = ['updated_at', 'user_id'];
const EVERY_OTHER_TABLE = '*';

export interface PersonaDocument {
  readonly persona: Persona;
  /** Collects the problems that the databases report later. */
  readonly reader: DocumentReader;
  readonly source: DocumentSource;
}

/** Reads a document at once. Throws with all problems. */
export function readPersona(text: string, type: SourceType, isType: (dbType: string) => boolean): PersonaDocument {
  return runToEnd(personaSlices(text, type, isType));
}

/** Reads a document in slices. Throws with all problems. */
export function* personaSlices(text: string, type: SourceType, isType: (dbType: string) => boolean): Slices<PersonaDocument> {
  const source = yield* sourceSlices(text, type);
  const reader = new DocumentReader(source);
  const persona = yield* readRoot(reader, isType);
  reader.finish();
  return { persona, reader, source };
}

function* sourceSlices(text: string, type: SourceType): Slices<DocumentSource> {
  try {
    return type === 'json' ? readJsonSource(text) : yield* yamlSourceSlices(text);
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error;
    const refusal = type === 'json' ? apiError('body_not_json', error.message) : apiError('body_not_yaml', error.message);
    throw refusal.withLists({ problems: error.problems });
  }
}

const atMost = (max: number) => (text: string) => ([...text].length > max ? `must not be longer than ${max} characters` : undefined);

function roleProblem(role: string): string | undefined {
  if (role.trim() !== role || role === '') return 'must be a role without blanks around it';
  if (role.length > MAX_ROLE_LENGTH) return `must not be longer than ${MAX_ROLE_LENGTH} characters`;
  return /[,\u0000-\u001f]/.test(role) ? 'must not have a comma or a control character' : undefined;
}

function* readRoot(reader: DocumentReader, isType: (dbType: string) => boolean): Slices<Persona> {
  const root = reader.map(reader.root, ['persona', 'about', 'roles', 'rank', 'tables', ...READ_ONLY_FIELDS]);
  if (root === undefined) return { persona: '', about: '', roles: [], rank: DEFAULT_RANK, tables: [] };
  for (const name of ['persona', 'roles', 'tables']) if (!root.fields.has(name)) reader.malformed(name, 'is missing');
  const persona = reader.string(root, 'persona', (text) =>
    PERSONA_NAME.test(text) ? undefined : 'must begin with a lower-case letter and have at most 63 lower-case letters, digits, _ and -',
  );
  return {
    persona: persona ?? '',
    about: reader.string(root, 'about', atMost(MAX_ABOUT_LENGTH)) ?? '',
    roles: reader.strings(root, 'roles', roleProblem) ?? [],
    rank: reader.integer(root, 'rank', -MAX_INTEGER, MAX_INTEGER) ?? DEFAULT_RANK,
    tables: yield* readTables(reader, reader.field(root, 'tables'), isType),
  };
}

/** Tables per slice: a few milliseconds. */
const SLICE_TABLES = 25;

function* readTables(reader: DocumentReader, part: Part | undefined, isType: (dbType: string) => boolean): Slices<readonly GrantedTable[]> {
  const map = part && reader.map(part, undefined, 'a mapping of tables');
  const tables: GrantedTable[] = [];
  for (const [name, value] of map?.fields ?? []) {
    const path = childPath(map?.path ?? '', name);
    const key = parseTableKey(name);
    if (key === undefined || !isType(key.type))
      reader.malformed(path, 'must be of the form <db_type>/<db_name>[.schema]/<table>, with a db_type that is served');
    else tables.push({ ...key, grants: readGrants(reader, { value, path }, key.table === EVERY_OTHER_TABLE) });
    if (tables.length % SLICE_TABLES === 0) yield;
  }
  return tables;
}

/** Table names may contain slashes; database names may not. */
export function parseTableKey(text: string): TableKey | undefined {
  const [type = '', database = '', ...rest] = text.split('/');
  const table = rest.join('/');
  return type === '' || database === '' || table === '' || text.includes('\0') ? undefined : { type, database, table };
}

export function isEveryOther({ table }: TableKey): boolean {
  return table === EVERY_OTHER_TABLE;
}

const FIELDS: Readonly<Record<Operation, readonly string[]>> = {
  read: ['columns', 'except', 'rows', 'mask', 'max_page_size'],
  insert: ['columns', 'except', 'set'],
  update: ['columns', 'except', 'rows', 'set'],
  delete: ['rows'],
};

/** Fields that are allowed in the entry for every other table. */
const FIELDS_FOR_ALL = ['max_page_size'];

function readGrants(reader: DocumentReader, part: Part, isForAll: boolean): TableGrants {
  const map = reader.map(part, Object.keys(FIELDS), 'a mapping of read, insert, update and delete');
  if (map === undefined) return {};
  const grants: TableGrants = {};
  for (const operation of Object.keys(FIELDS) as Operation[]) {
    const fields = readOperation(reader, map, operation, isForAll);
    if (fields !== undefined) Object.assign(grants, { [operation]: READERS[operation](reader, fields) });
  }
  return grants;
}

/** Returns the fields of an operation, or `undefined` if it is not granted. */
function readOperation(reader: DocumentReader, parent: MapPart, operation: Operation, isForAll: boolean): MapPart | undefined {
  const part = reader.field(parent, operation);
  if (part === undefined || part.value === false) return undefined;
  if (part.value === true) return { fields: new Map(), path: part.path };
  const map = reader.map(part, FIELDS[operation], 'true, false or a mapping');
  if (isForAll && map !== undefined)
    for (const name of map.fields.keys())
      if (FIELDS[operation].includes(name) && !FIELDS_FOR_ALL.includes(name))
        reader.refused(childPath(map.path, name), 'is not allowed for every other table; give the table an entry of its own');
  return map;
}

const READERS: { readonly [K in Operation]: (reader: DocumentReader, map: MapPart) => NonNullable<TableGrants[K]> } = {
  read: readReadGrant,
  insert: readInsertGrant,
  update: readUpdateGrant,
  delete: readRowRule,
};

function readColumnGrant(reader: DocumentReader, map: MapPart): ColumnGrant {
  const columns = reader.strings(map, 'columns', atMost(MAX_NAME_LENGTH));
  const except = reader.strings(map, 'except', atMost(MAX_NAME_LENGTH));
  if (map.fields.has('columns') && map.fields.has('except'))
    reader.malformed(childPath(map.path, 'except'), 'and columns exclude each other');
  return { columns, except };
}

function readRowRule(reader: DocumentReader, map: MapPart): RowRule {
  const rows = reader.strings(map, 'rows', (text) => {
    try {
      parseRule(text);
      return undefined;
    } catch (error) {
      if (error instanceof InvalidRule) return `is not a filter: ${error.message}`;
      throw error;
    }
  });
  return { rows: rows ?? [] };
}

function readReadGrant(reader: DocumentReader, map: MapPart): ReadGrant {
  return {
    ...readColumnGrant(reader, map),
    ...readRowRule(reader, map),
    mask: readMask(reader, map),
    maxPageSize: reader.integer(map, 'max_page_size', 1, MAX_INTEGER),
  };
}

function readMask(reader: DocumentReader, parent: MapPart): ReadonlyMap<string, string | null> {
  const part = reader.field(parent, 'mask');
  const map = part && reader.map(part, undefined, 'a mapping of columns to strings');
  const mask = new Map<string, string | null>();
  for (const [column, shown] of map?.fields ?? []) {
    if (typeof shown === 'string' || shown === null) mask.set(column, shown);
    else reader.malformed(childPath(map?.path ?? '', column), 'must be a string or null');
  }
  return mask;
}

function readInsertGrant(reader: DocumentReader, map: MapPart): InsertGrant {
  const grant = { ...readColumnGrant(reader, map), set: readPresets(reader, map) };
  for (const column of grant.set.keys())
    if (grant.columns?.includes(column))
      reader.refused(childPath(childPath(map.path, 'set'), column), 'is in columns too: either the service sets it or the caller');
  return grant;
}

function readPresets(reader: DocumentReader, parent: MapPart): ReadonlyMap<string, PresetValue> {
  const part = reader.field(parent, 'set');
  const map = part && reader.map(part, undefined, 'a mapping of columns to values');
  const set = new Map<string, PresetValue>();
  for (const [column, value] of map?.fields ?? []) {
    const path = childPath(map?.path ?? '', column);
    if (typeof value === 'string' && isCallerValue(value)) {
      const name = callerValueName(value);
      if (name === undefined) reader.malformed(path, `is not a caller value; known are ${KNOWN_NAMES}`);
      else set.set(column, { from: 'caller', name });
    } else if (Array.isArray(value) || value instanceof Map) reader.malformed(path, 'must be a single value');
    else set.set(column, { from: 'document', value });
  }
  return set;
}

function readUpdateGrant(reader: DocumentReader, map: MapPart): UpdateGrant {
  const grant = { ...readInsertGrant(reader, map), ...readRowRule(reader, map) };
  const ruled = ruledColumns(grant);
  for (const [index, column] of (grant.columns ?? []).entries())
    if (ruled.has(column))
      reader.refused(
        childPath(childPath(map.path, 'columns'), index),
        `${JSON.stringify(column)} is used in rows to decide which rows may be changed, so it cannot be changed`,
      );
  return grant;
}

/** Columns that the row rules of an operation use. */
export function ruledColumns({ rows }: RowRule): ReadonlySet<string> {
  return new Set(rows.flatMap((text) => columnsOrNone(text)));
}

/** An invalid rule has been reported already and uses no columns. */
function columnsOrNone(text: string): readonly string[] {
  try {
    return columnsOf(parseRule(text));
  } catch (error) {
    if (error instanceof InvalidRule) return [];
    throw error;
  }
}
