/**
 * A definition's YAML → a checked document, or everything that is wrong with it. Pure: knows neither the caller, nor what is deployed,
 * nor whether the code in it compiles.
 */
import { DEFINITION_METHODS, type DefinitionMethod, versionSortKey } from '../model/definition.ts';
import type { DbType, Host, TlsMode } from '../model/entry.ts';
import { parseUlid } from '../model/ulid.ts';
import type { PlainValue } from '../util/decimal.ts';
import { readDatabase } from './document-database.ts';
import { readLogic, type StepSource } from './document-logic.ts';
import { Fields } from './fields.ts';
import { type MapTree, parseTree, plainTree, YamlProblems } from './yaml-tree.ts';

export const IDENTIFIERS = ['org_id', 'project_id', 'feature_id', 'space_id', 'user_id'] as const;
export type Identifier = (typeof IDENTIFIERS)[number];

export type InputType = 'json' | 'form' | 'multipart';
const INPUT_TYPES: readonly string[] = ['json', 'form', 'multipart'];

export interface OwnDatabase {
  readonly kind: 'own';
  readonly type: DbType;
  readonly hosts: readonly Host[];
  readonly username: string;
  /** Null when the document gives none; MASK when it wants the stored one. */
  readonly password: string | null;
  readonly name: string;
  readonly tls: TlsMode;
  readonly ca: string | undefined;
  readonly timeoutSecs: number;
  readonly connectTimeoutSecs: number;
  readonly idleTimeoutSecs: number;
  readonly maxOpenConnections: number;
  readonly maxIdleConnections: number;
}

export interface RegisteredDatabase {
  readonly kind: 'ref';
  readonly type: DbType;
  readonly name: string;
  readonly timeoutSecs: number;
}

export interface DefinitionConfig {
  readonly rollbackVersion: string | null;
  readonly cacheResult: boolean;
  readonly cacheTtlSecs: number;
  readonly coalesce: boolean;
  readonly transaction: boolean;
  readonly steps: number;
  readonly memoryMb: number;
  readonly timeMs: number;
}

export interface DefinitionDocument {
  readonly identifiers: Readonly<Record<Identifier, string>>;
  readonly permission: readonly string[];
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
  readonly inputType: InputType;
  readonly logic: readonly StepSource[];
  readonly config: DefinitionConfig;
  readonly database: OwnDatabase | RegisteredDatabase;
}

/** Stands for a stored password wherever a definition is shown. */
export const MASK = '***';

const SECTIONS = ['identifiers', 'permission', 'http', 'logic', 'config', 'database'];
const URI = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/** Throws YamlProblems with all that is wrong. */
export function readDocument(source: string): DefinitionDocument {
  const tree = parseTree(source);
  const fields = new Fields();
  const root = fields.map(tree, 'the document');
  if (root === undefined) throw new YamlProblems(fields.problems);
  fields.known(root, '', SECTIONS);
  const document = {
    identifiers: readIdentifiers(fields, root),
    permission: readPermission(fields, root),
    ...readHttp(fields, root),
    logic: readLogic(fields, root),
    config: readConfig(fields, root),
    database: readDatabase(fields, root),
  };
  if (fields.problems.length > 0) throw new YamlProblems(fields.problems.toSorted((a, b) => a.line - b.line));
  return document;
}

function readIdentifiers(fields: Fields, root: MapTree): DefinitionDocument['identifiers'] {
  const section = fields.section(root, 'identifiers');
  if (section !== undefined) fields.known(section, 'identifiers.', IDENTIFIERS);
  const read = (name: Identifier): string => {
    const text = fields.text(section, name, 'identifiers.', 'required', (id) =>
      parseUlid(id) === undefined ? 'is not a ULID' : undefined,
    );
    return parseUlid(text ?? '') ?? '';
  };
  return Object.fromEntries(IDENTIFIERS.map((name) => [name, read(name)])) as Record<Identifier, string>;
}

function readPermission(fields: Fields, root: MapTree): readonly string[] {
  const list = fields.list(root, 'permission');
  return (list?.items ?? []).map((item) => {
    if (item.kind === 'scalar' && item.text.trim() !== '' && !item.text.includes(',')) return item.text.trim();
    fields.problem(item, 'permission must list the names of roles, one an item');
    return '';
  });
}

function readHttp(fields: Fields, root: MapTree): Pick<DefinitionDocument, 'uri' | 'method' | 'version' | 'inputType'> {
  const http = fields.section(root, 'http');
  if (http !== undefined) fields.known(http, 'http.', ['uri', 'method', 'version', 'input_type']);
  const oneOf = (words: readonly string[]) => (text: string) => (words.includes(text) ? undefined : `must be one of ${words.join(', ')}`);
  const method = fields.text(http, 'method', 'http.', 'required', oneOf(DEFINITION_METHODS));
  const uri = fields.text(http, 'uri', 'http.', 'required', (text) =>
    URI.test(text) && text.length <= 1024 && !text.split('/').some((part) => part === '.' || part === '..')
      ? undefined
      : 'must be path segments of letters, digits, . _ ~ and -, without a slash at either end',
  );
  const hasBody = method !== 'get' && method !== 'delete';
  const inputType = fields.text(http, 'input_type', 'http.', hasBody ? 'required' : 'optional', oneOf(INPUT_TYPES));
  return {
    uri: uri ?? '',
    method: (method ?? 'get') as DefinitionMethod,
    version: fields.text(http, 'version', 'http.', 'required', checkVersion) ?? '',
    inputType: (inputType ?? 'json') as InputType,
  };
}

function checkVersion(text: string): string | undefined {
  return versionSortKey(text) === undefined
    ? 'must be one to three numbers with an optional pre-release, such as 1.2.0 or 1.3-beta'
    : undefined;
}

function readConfig(fields: Fields, root: MapTree): DefinitionConfig {
  const tree = root.fields.get('config');
  const absent = tree === undefined || (tree.kind === 'scalar' && tree.value === null);
  const config = absent ? undefined : fields.map(tree, 'config');
  if (config !== undefined)
    fields.known(config, 'config.', ['rollback_version', 'cache_result', 'cache_ttl_secs', 'coalesce', 'transaction', 'limits']);
  const given = config?.fields.get('limits');
  const limits = given === undefined ? undefined : fields.map(given, 'config.limits');
  if (limits !== undefined) fields.known(limits, 'config.limits.', ['steps', 'memory_mb', 'time_ms']);
  return {
    rollbackVersion: fields.text(config, 'rollback_version', 'config.', 'optional', checkVersion) ?? null,
    cacheResult: fields.flag(config, 'cache_result', 'config.', false),
    cacheTtlSecs: fields.whole(config, 'cache_ttl_secs', 'config.', 60, 1, 86_400 * 365),
    coalesce: fields.flag(config, 'coalesce', 'config.', false),
    transaction: fields.flag(config, 'transaction', 'config.', true),
    steps: fields.whole(limits, 'steps', 'config.limits.', 50_000_000, 1, 10_000_000_000),
    memoryMb: fields.whole(limits, 'memory_mb', 'config.limits.', 64, 1, 1024),
    timeMs: fields.whole(limits, 'time_ms', 'config.limits.', 1000, 1, 60_000),
  };
}

/** Sections whose scalars are texts, whatever YAML would make of them. */
const TEXT_SECTIONS = new Set(['identifiers', 'permission', 'http', 'logic']);
const NUMBERS = /_secs$|_connections$/;

function isText(path: readonly string[]): boolean {
  const [section = ''] = path;
  const name = path.at(-1) ?? '';
  if (section === 'logic') return name !== 'omit';
  return TEXT_SECTIONS.has(section) || name === 'rollback_version' || (section === 'database' && !NUMBERS.test(name));
}

/** The document as clients see it. */
export function showDocument(source: string): PlainValue {
  return plainTree(parseTree(source), isText);
}

/** The source with the mask in place of its password, which is given back beside it. */
export function takePassword(source: string): { readonly document: string; readonly password: string | null } {
  const root = parseTree(source);
  const database = root.kind === 'map' ? root.fields.get('database') : undefined;
  const password = database?.kind === 'map' ? database.fields.get('password') : undefined;
  if (password?.kind !== 'scalar' || password.value === null) return { document: source, password: null };
  const end = password.block ? '\n' : '';
  return { document: `${source.slice(0, password.from)}"${MASK}"${end}${source.slice(password.to)}`, password: password.text };
}
