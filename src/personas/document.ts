/**
 * The document of a persona: text in, the persona out, or everything that is wrong with it and where. Knows no database; whether tables and
 * columns are there is asked elsewhere.
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
import { callerValueName, isCallerValue, KNOWN_NAMES } from './caller-values.ts';
import { DocumentReader, type MapPart, type Part } from './document-reader.ts';
import { columnsOf, InvalidRule, parseRule } from './rules.ts';
import { childPath, type DocumentSource, readJsonSource, readYamlSource, UnreadableSource } from './source.ts';

export type SourceType = 'yaml' | 'json';

const DEFAULT_RANK = 100;
const LONGEST_ABOUT = 500;
const LONGEST_ROLE = 128;
const MOST_RANK = 1_000_000_000;
/** What `get` adds to a document, so that it can be put again as it came. */
const NOTES = ['updated_at', 'user_id'];
const EVERY_OTHER = '*';

export interface PersonaDocument {
  readonly persona: Persona;
  readonly reader: DocumentReader;
}

/** Throws with every problem. What the databases say of it can still be noted with the reader. */
export function readPersona(
  text: string,
  type: SourceType,
  isType: (dbType: string) => boolean,
): PersonaDocument & { source: DocumentSource } {
  const source = sourceOf(text, type);
  const reader = new DocumentReader(source);
  const persona = personaIn(reader, isType);
  reader.finish();
  return { persona, reader, source };
}

function sourceOf(text: string, type: SourceType): DocumentSource {
  try {
    return type === 'json' ? readJsonSource(text) : readYamlSource(text);
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error;
    throw type === 'json' ? apiError('body_not_json', error.message) : apiError('body_not_yaml', error.message);
  }
}

const LONG = (most: number) => (text: string) => ([...text].length > most ? `must not be longer than ${most} characters` : undefined);

function roleProblem(role: string): string | undefined {
  if (role.trim() !== role || role === '') return 'must be a role without blanks around it';
  if (role.length > LONGEST_ROLE) return `must not be longer than ${LONGEST_ROLE} characters`;
  return /[,\u0000-\u001f]/.test(role) ? 'must not have a comma or a control character' : undefined;
}

function personaIn(reader: DocumentReader, isType: (dbType: string) => boolean): Persona {
  const root = reader.map(reader.root, ['persona', 'about', 'roles', 'rank', 'tables', ...NOTES]);
  if (root === undefined) return { persona: '', about: '', roles: [], rank: DEFAULT_RANK, tables: [] };
  for (const name of ['persona', 'roles', 'tables']) if (!root.fields.has(name)) reader.malformed(name, 'is missing');
  const persona = reader.text(root, 'persona', (text) =>
    PERSONA_NAME.test(text) ? undefined : 'must begin with a lower-case letter and have at most 63 lower-case letters, digits, _ and -',
  );
  return {
    persona: persona ?? '',
    about: reader.text(root, 'about', LONG(LONGEST_ABOUT)) ?? '',
    roles: reader.texts(root, 'roles', roleProblem) ?? [],
    rank: reader.whole(root, 'rank', -MOST_RANK, MOST_RANK) ?? DEFAULT_RANK,
    tables: tablesIn(reader, reader.field(root, 'tables'), isType),
  };
}

function tablesIn(reader: DocumentReader, part: Part | undefined, isType: (dbType: string) => boolean): readonly GrantedTable[] {
  const tables = part && reader.map(part, undefined, 'a mapping of tables');
  if (tables === undefined) return [];
  return [...tables.fields].flatMap(([name, value]): GrantedTable[] => {
    const path = childPath(tables.path, name);
    const key = parseTableKey(name);
    if (key === undefined || !isType(key.type)) {
      reader.malformed(path, 'must be of the form <db_type>/<db_name>[.schema]/<table>, with a db_type that is served');
      return [];
    }
    return [{ ...key, grants: grantsIn(reader, { value, path }, key.table === EVERY_OTHER) }];
  });
}

/** A table's name may have slashes, a database's may not. */
export function parseTableKey(text: string): TableKey | undefined {
  const [type = '', database = '', ...rest] = text.split('/');
  const table = rest.join('/');
  return type === '' || database === '' || table === '' || text.includes('\0') ? undefined : { type, database, table };
}

export function isEveryOther({ table }: TableKey): boolean {
  return table === EVERY_OTHER;
}

const FIELDS: Readonly<Record<Operation, readonly string[]>> = {
  read: ['columns', 'except', 'rows', 'mask', 'max_page_size'],
  insert: ['columns', 'except', 'set'],
  update: ['columns', 'except', 'rows', 'set'],
  delete: ['rows'],
};

/** All that an entry for every other table may say. */
const FOR_ALL = ['max_page_size'];

function grantsIn(reader: DocumentReader, part: Part, isForAll: boolean): TableGrants {
  const map = reader.map(part, Object.keys(FIELDS), 'a mapping of read, insert, update and delete');
  if (map === undefined) return {};
  const grants: TableGrants = {};
  for (const operation of Object.keys(FIELDS) as Operation[]) {
    const given = operationIn(reader, map, operation, isForAll);
    if (given !== undefined) Object.assign(grants, { [operation]: READERS[operation](reader, given) });
  }
  return grants;
}

/** What the document says of an operation; undefined when it is not granted. */
function operationIn(reader: DocumentReader, map: MapPart, operation: Operation, isForAll: boolean): MapPart | undefined {
  const part = reader.field(map, operation);
  if (part === undefined || part.value === false) return undefined;
  if (part.value === true) return { fields: new Map(), path: part.path };
  const given = reader.map(part, FIELDS[operation], 'true, false or a mapping');
  if (isForAll && given !== undefined)
    for (const name of given.fields.keys())
      if (FIELDS[operation].includes(name) && !FOR_ALL.includes(name))
        reader.refused(childPath(given.path, name), 'cannot be said of every other table; give the table an entry of its own');
  return given;
}

const READERS: { readonly [K in Operation]: (reader: DocumentReader, given: MapPart) => NonNullable<TableGrants[K]> } = {
  read: readGrant,
  insert: insertGrant,
  update: updateGrant,
  delete: rowRule,
};

function columnGrant(reader: DocumentReader, given: MapPart): ColumnGrant {
  const columns = reader.texts(given, 'columns', LONG(255));
  const except = reader.texts(given, 'except', LONG(255));
  if (given.fields.has('columns') && given.fields.has('except'))
    reader.malformed(childPath(given.path, 'except'), 'and columns exclude each other');
  return { columns, except };
}

function rowRule(reader: DocumentReader, given: MapPart): RowRule {
  const rows = reader.texts(given, 'rows', (text) => {
    try {
      parseRule(text);
      return undefined;
    } catch (error) {
      if (error instanceof InvalidRule) return `is no filter: ${error.message}`;
      throw error;
    }
  });
  return { rows: rows ?? [] };
}

function readGrant(reader: DocumentReader, given: MapPart): ReadGrant {
  return {
    ...columnGrant(reader, given),
    ...rowRule(reader, given),
    mask: maskIn(reader, given),
    maxPageSize: reader.whole(given, 'max_page_size', 1, MOST_RANK),
  };
}

function maskIn(reader: DocumentReader, given: MapPart): ReadonlyMap<string, string | null> {
  const part = reader.field(given, 'mask');
  const map = part && reader.map(part, undefined, 'a mapping of columns to texts');
  const mask = new Map<string, string | null>();
  for (const [column, shown] of map?.fields ?? []) {
    if (typeof shown === 'string' || shown === null) mask.set(column, shown);
    else reader.malformed(childPath(map?.path ?? '', column), 'must be a text or null');
  }
  return mask;
}

function insertGrant(reader: DocumentReader, given: MapPart): InsertGrant {
  const grant = { ...columnGrant(reader, given), set: setIn(reader, given) };
  for (const column of grant.set.keys())
    if (grant.columns?.includes(column))
      reader.refused(childPath(childPath(given.path, 'set'), column), 'is in columns too: either the service gives it or the caller');
  return grant;
}

function setIn(reader: DocumentReader, given: MapPart): ReadonlyMap<string, PresetValue> {
  const part = reader.field(given, 'set');
  const map = part && reader.map(part, undefined, 'a mapping of columns to values');
  const set = new Map<string, PresetValue>();
  for (const [column, value] of map?.fields ?? []) {
    const path = childPath(map?.path ?? '', column);
    if (typeof value === 'string' && isCallerValue(value)) {
      const name = callerValueName(value);
      if (name === undefined) reader.malformed(path, `is no value of a caller; there are ${KNOWN_NAMES}`);
      else set.set(column, { from: 'caller', name });
    } else if (Array.isArray(value) || value instanceof Map) reader.malformed(path, 'must be a single value');
    else set.set(column, { from: 'document', value });
  }
  return set;
}

function updateGrant(reader: DocumentReader, given: MapPart): UpdateGrant {
  const grant = { ...insertGrant(reader, given), ...rowRule(reader, given) };
  const ruled = ruledColumns(grant);
  for (const [index, column] of (grant.columns ?? []).entries())
    if (ruled.has(column))
      reader.refused(
        childPath(childPath(given.path, 'columns'), index),
        `${JSON.stringify(column)} decides in rows which rows may be changed, so it cannot be changed`,
      );
  return grant;
}

/** The columns that the rows of an operation name. */
export function ruledColumns({ rows }: RowRule): ReadonlySet<string> {
  return new Set(rows.flatMap((text) => safeColumns(text)));
}

/** A rule that is no filter has been noted, and names nothing. */
function safeColumns(text: string): readonly string[] {
  try {
    return columnsOf(parseRule(text));
  } catch (error) {
    if (error instanceof InvalidRule) return [];
    throw error;
  }
}
