/** Validates the YAML of a definition: returns the document or all its problems. Pure. */
import type { Engines } from '../../engines/registry.ts';
import { DEFINITION_METHODS, type DefinitionMethod, versionSortKey } from '../../model/definition.ts';
import { parseUlid } from '../../model/ulid.ts';
import { parseUserId, type UserIds } from '../../model/user-id.ts';
import { runToEnd, type Slices } from '../../util/concurrency/slices.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import type { About, Declaration, Declarations } from '../inputs/declaration.ts';
import { readAbout, readInputs } from '../inputs/read-declaration.ts';
import { DocumentFields } from '../yaml/fields.ts';
import {
  type LineProblem,
  type MapTree,
  parseTree,
  parseTreeSlices,
  placeOf,
  plainTree,
  type SourcePlace,
  type Tree,
  YamlProblems,
} from '../yaml/yaml-tree.ts';
import { type OwnDatabase, type RegisteredDatabase, readDatabase } from './document-database.ts';
import { readLogic, type StepSource } from './document-logic.ts';
import { type ResponseDocument, readResponse } from './document-response.ts';
import { checkUri } from './uri.ts';

export const IDENTIFIERS = ['org_id', 'project_id', 'feature_id', 'space_id', 'user_id'] as const;
export type Identifier = (typeof IDENTIFIERS)[number];

export type InputType = 'json' | 'form' | 'multipart';
const INPUT_TYPES: readonly string[] = ['json', 'form', 'multipart'];

export interface DefinitionConfig {
  readonly rollbackVersion: string | null;
  readonly cacheResult: boolean;
  readonly cacheTtlSecs: number;
  readonly coalesce: boolean;
  readonly transaction: boolean;
  readonly steps: number;
  readonly memoryMb: number;
  readonly timeMs: number;
  /** `true` offers the endpoint to agents as a tool of its own. */
  readonly tool: boolean;
}

export interface DefinitionDocument {
  readonly identifiers: Readonly<Record<Identifier, string>>;
  readonly permission: readonly string[];
  readonly uri: string;
  readonly method: DefinitionMethod;
  readonly version: string;
  readonly inputType: InputType;
  readonly about: About;
  /** `undefined` accepts any input. */
  readonly inputs: Declarations | undefined;
  readonly logic: readonly StepSource[];
  readonly response: ResponseDocument | undefined;
  readonly config: DefinitionConfig;
  readonly database: OwnDatabase | RegisteredDatabase;
  /** Places for problems that are detected after parsing. */
  readonly places: Readonly<Record<'identifiers' | 'version' | 'rollback', SourcePlace>>;
}

/** Replaces the password in definitions that clients receive. */
export const MASK = '***';

const SECTIONS = ['identifiers', 'about', 'permission', 'http', 'input', 'logic', 'response', 'config', 'database'];

export interface ValidatedDocument {
  readonly tree: Tree;
  readonly document: DefinitionDocument;
  /** Problems by line; empty if the document is valid. */
  readonly problems: readonly LineProblem[];
}

/**
 * Reads as much as possible and collects all problems. Throws YamlProblems if the YAML cannot be
 * parsed.
 */
export function validateDocument(source: string, engines: Engines): ValidatedDocument {
  return runToEnd(validateSlices(source, engines, 'ulid'));
}

export function* validateSlices(source: string, engines: Engines, userIds: UserIds): Slices<ValidatedDocument> {
  const tree = yield* parseTreeSlices(source);
  yield;
  const fields = new DocumentFields();
  const root = fields.map(tree, 'the document');
  if (root === undefined) throw new YamlProblems(fields.problems);
  fields.known(root, '', SECTIONS);
  const document = {
    identifiers: readIdentifiers(fields, root, userIds),
    permission: readPermission(fields, root),
    ...readHttp(fields, root),
    about: readAbout(fields, root),
    inputs: readInputs(fields, root),
    logic: readLogic(fields, root),
    response: readResponse(fields, root),
    config: readConfig(fields, root),
    places: {
      identifiers: placeAt(root, 'identifiers'),
      version: placeAt(root, 'http', 'version'),
      rollback: placeAt(root, 'config', 'rollback_version'),
    },
    database: readDatabase(fields, root, engines),
  };
  requireMultipartForFiles(fields, root, document);
  return { tree, document, problems: fields.problems };
}

function placeAt(root: MapTree, section: string, name?: string): SourcePlace {
  const tree = fieldAt(root, section);
  return placeOf((name === undefined ? tree : fieldAt(tree, name)) ?? tree ?? root);
}

function requireMultipartForFiles(fields: DocumentFields, root: MapTree, { inputs, inputType }: DefinitionDocument): void {
  const section = root.fields.get('input');
  if (inputs === undefined || inputType === 'multipart' || section?.kind !== 'map') return;
  for (const [name, declaration] of inputs)
    if (hasFile(declaration))
      fields.problem(section.fields.get(name) ?? section, `input.${name} is a file, which needs http.input_type multipart`);
}

function hasFile({ type, items, fields }: Declaration): boolean {
  return type === 'file' || (items !== undefined && hasFile(items)) || [...(fields?.values() ?? [])].some(hasFile);
}

/** Reads a stored document, which was valid when it was deployed. */
export function readDocument(source: string, engines: Engines): DefinitionDocument {
  return runToEnd(readDocumentSlices(source, engines));
}

export function* readDocumentSlices(source: string, engines: Engines): Slices<DefinitionDocument> {
  const { document, problems } = yield* validateSlices(source, engines, 'any');
  if (problems.length > 0) throw new YamlProblems(problems);
  return document;
}

function readIdentifiers(fields: DocumentFields, root: MapTree, userIds: UserIds): DefinitionDocument['identifiers'] {
  const section = fields.section(root, 'identifiers');
  if (section !== undefined) fields.known(section, 'identifiers.', IDENTIFIERS);
  const read = (name: Identifier): string => {
    const parse = name === 'user_id' ? (id: string) => parseUserId(id, userIds) : parseUlid;
    const text = fields.text(section, name, 'identifiers.', 'required', (id) => (parse(id) === undefined ? 'is not a ULID' : undefined));
    return parse(text ?? '') ?? '';
  };
  return Object.fromEntries(IDENTIFIERS.map((name) => [name, read(name)])) as Record<Identifier, string>;
}

function readPermission(fields: DocumentFields, root: MapTree): readonly string[] {
  const list = fields.list(root, 'permission');
  return (list?.items ?? []).map((item) => {
    if (item.kind === 'scalar' && item.text.trim() !== '' && !item.text.includes(',')) return item.text.trim();
    fields.problem(item, 'permission must list the names of roles, one an item');
    return '';
  });
}

function readHttp(fields: DocumentFields, root: MapTree): Pick<DefinitionDocument, 'uri' | 'method' | 'version' | 'inputType'> {
  const http = fields.section(root, 'http');
  if (http !== undefined) fields.known(http, 'http.', ['uri', 'method', 'version', 'input_type']);
  const oneOf = (values: readonly string[]) => (text: string) =>
    values.includes(text) ? undefined : `must be one of ${values.join(', ')}`;
  const method = fields.text(http, 'method', 'http.', 'required', oneOf(DEFINITION_METHODS));
  const uri = fields.text(http, 'uri', 'http.', 'required', checkUri);
  const needsType = (method !== 'get' && method !== 'delete') || http?.fields.has('input_type') === true;
  const inputType = fields.text(http, 'input_type', 'http.', needsType ? 'required' : 'optional', oneOf(INPUT_TYPES));
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

function readConfig(fields: DocumentFields, root: MapTree): DefinitionConfig {
  const tree = root.fields.get('config');
  const absent = tree === undefined || (tree.kind === 'scalar' && tree.value === null);
  const config = absent ? undefined : fields.map(tree, 'config');
  if (config !== undefined)
    fields.known(config, 'config.', ['rollback_version', 'cache_result', 'cache_ttl_secs', 'coalesce', 'transaction', 'limits', 'tool']);
  const limitsTree = config?.fields.get('limits');
  const limits = limitsTree === undefined ? undefined : fields.map(limitsTree, 'config.limits');
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
    tool: fields.flag(config, 'tool', 'config.', false),
  };
}

/** Sections whose scalars are strings, whatever type YAML infers. */
const STRING_SECTIONS = new Set(['identifiers', 'permission', 'http', 'logic']);
const NUMERIC_FIELDS = /_secs$|_connections$/;

function isText(path: readonly string[]): boolean {
  const [section = ''] = path;
  const name = path.at(-1) ?? '';
  if (section === 'logic') return name !== 'omit';
  return STRING_SECTIONS.has(section) || name === 'rollback_version' || (section === 'database' && !NUMERIC_FIELDS.test(name));
}

/** Converts a stored document to a value for clients. */
export function showDocument(source: string): PlainValue {
  return runToEnd(showDocumentSlices(source));
}

export function* showDocumentSlices(source: string): Slices<PlainValue> {
  const tree = yield* parseTreeSlices(source);
  yield;
  return plainTree(tree, isText);
}

/** Replaces the text of a scalar and preserves the rest of the source. */
export interface Edit {
  readonly path: readonly [section: string, name: string];
  readonly text: string;
}

/** Ignores edits of scalars that do not exist. */
export function editDocument(source: string, edits: readonly Edit[], root = parseTree(source)): string {
  const replacements = edits.flatMap(({ path, text }) => {
    const tree = fieldAt(fieldAt(root, path[0]), path[1]);
    if (tree?.kind !== 'scalar' || tree.value === null) return [];
    return { from: tree.from, to: tree.to, text: tree.block ? `${text}\n` : text };
  });
  let edited = source;
  for (const { from, to, text } of replacements.toSorted((a, b) => b.from - a.from))
    edited = edited.slice(0, from) + text + edited.slice(to);
  return edited;
}

function fieldAt(tree: Tree | undefined, name: string): Tree | undefined {
  return tree?.kind === 'map' ? tree.fields.get(name) : undefined;
}

/** Masks the password for the store. */
export function maskPassword(source: string, root = parseTree(source)): string {
  return editDocument(source, [{ path: ['database', 'password'], text: `"${MASK}"` }], root);
}
