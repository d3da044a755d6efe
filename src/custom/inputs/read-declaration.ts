/** Reads the sections `input` and `about` of a definition and collects all problems. */
import { re2 } from '../../util/on-demand.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { DocumentFields } from '../yaml/fields.ts';
import { type MapTree, plainTree, type ScalarTree, type Tree } from '../yaml/yaml-tree.ts';
import { compileCheck, type FieldProblem, readInteger, readNumber } from './checks.ts';
import { type About, DECLARED_TYPES, type Declaration, type Declarations, type DeclaredType, type ExactNumber } from './declaration.ts';

const COMMON = ['type', 'required', 'default', 'nullable', 'description', 'example'];

/** Settings of each type, besides the common ones. */
export const TYPE_SETTINGS: Readonly<Record<DeclaredType, readonly string[]>> = {
  string: ['min_length', 'max_length', 'pattern', 'enum'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  boolean: [],
  date: [],
  timestamp: [],
  uuid: [],
  array: ['items', 'min_items', 'max_items'],
  object: ['fields'],
  file: ['max_bytes'],
  any: [],
};

const MAX_LEVELS = 8;
const MAX_INPUTS = 1000;
const MAX_NAME_LENGTH = 128;
const MAX_PATTERN_LENGTH = 1000;
const MAX_COUNT = 2 ** 48;

/** `undefined` if the definition does not declare its input. */
export function readInputs(fields: DocumentFields, root: MapTree): Declarations | undefined {
  const tree = root.fields.get('input');
  if (tree === undefined) return undefined;
  const section = fields.map(tree, 'input');
  return section === undefined ? new Map() : readDeclarations(fields, section, 'input', 1);
}

function readDeclarations(fields: DocumentFields, section: MapTree, path: string, level: number): Declarations {
  if (section.fields.size > MAX_INPUTS) fields.problem(section, `${path} declares more than ${MAX_INPUTS} names`);
  const declarations = new Map<string, Declaration>();
  for (const [name, tree] of section.fields) {
    if (name === '' || name.length > MAX_NAME_LENGTH) fields.problem(tree, `${path}: a name has 1 to ${MAX_NAME_LENGTH} characters`);
    declarations.set(name, readDeclaration(fields, tree, `${path}.${name}`, level));
  }
  return declarations;
}

export function readDeclaration(fields: DocumentFields, tree: Tree, path: string, level: number): Declaration {
  const map = fields.map(tree, path);
  const prefix = `${path}.`;
  const type = map === undefined ? 'any' : readType(fields, map, prefix);
  if (map !== undefined) fields.known(map, prefix, [...COMMON, ...TYPE_SETTINGS[type]]);
  if (level > MAX_LEVELS && (type === 'object' || type === 'array'))
    fields.problem(tree, `${path} is nested deeper than ${MAX_LEVELS} levels`);
  const count = (name: string): number | undefined =>
    map?.fields.has(name) === true ? fields.whole(map, name, prefix, 0, 0, MAX_COUNT) : undefined;
  const declaration: Declaration = {
    type,
    required: fields.flag(map, 'required', prefix, false),
    nullable: fields.flag(map, 'nullable', prefix, false),
    default: undefined,
    description: fields.text(map, 'description', prefix, 'optional'),
    example: exampleOf(map),
    minLength: count('min_length'),
    maxLength: count('max_length'),
    pattern: readPattern(fields, map, prefix),
    enum: readEnum(fields, map, prefix),
    minimum: readBound(fields, map, 'minimum', prefix),
    maximum: readBound(fields, map, 'maximum', prefix),
    items: level > MAX_LEVELS ? undefined : readItems(fields, map, prefix, level),
    minItems: count('min_items'),
    maxItems: count('max_items'),
    fields: level > MAX_LEVELS ? undefined : readFields(fields, map, prefix, level),
    maxBytes: count('max_bytes'),
  };
  return withDefault(fields, map, path, checkBounds(fields, tree, path, declaration));
}

function readType(fields: DocumentFields, map: MapTree, prefix: string): DeclaredType {
  const isKnown = (text: string): text is DeclaredType => (DECLARED_TYPES as readonly string[]).includes(text);
  const text = fields.text(map, 'type', prefix, 'required', (word) =>
    isKnown(word) ? undefined : `must be one of ${DECLARED_TYPES.join(', ')}`,
  );
  return text !== undefined && isKnown(text) ? text : 'any';
}

function readItems(fields: DocumentFields, map: MapTree | undefined, prefix: string, level: number): Declaration | undefined {
  const tree = map?.fields.get('items');
  return tree === undefined ? undefined : readDeclaration(fields, tree, `${prefix}items`, level + 1);
}

function readFields(fields: DocumentFields, map: MapTree | undefined, prefix: string, level: number): Declarations | undefined {
  const tree = map?.fields.get('fields');
  if (tree === undefined) return undefined;
  const section = fields.map(tree, `${prefix}fields`);
  return section === undefined ? undefined : readDeclarations(fields, section, `${prefix}fields`, level + 1);
}

function readPattern(fields: DocumentFields, map: MapTree | undefined, prefix: string): string | undefined {
  const pattern = fields.text(map, 'pattern', prefix, 'optional', checkPattern);
  return pattern === undefined || checkPattern(pattern) !== undefined ? undefined : pattern;
}

function checkPattern(text: string): string | undefined {
  if (text.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  const { RE2JS, RE2JSException } = re2();
  try {
    RE2JS.compile(text);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return `is not a regular expression of RE2: ${error.message}`;
    throw error;
  }
}

function readEnum(fields: DocumentFields, map: MapTree | undefined, prefix: string): readonly string[] | undefined {
  const tree = map?.fields.get('enum');
  if (tree === undefined) return undefined;
  const items = tree.kind === 'list' ? tree.items : [];
  if (items.length === 0 || !items.every((item) => item.kind === 'scalar')) {
    fields.problem(tree, `${prefix}enum must be a list of texts`);
    return undefined;
  }
  return items.map((item) => (item as ScalarTree).text);
}

function readBound(fields: DocumentFields, map: MapTree | undefined, name: string, prefix: string): ExactNumber | undefined {
  const tree = fields.scalar(map, name, prefix);
  if (tree === undefined) return undefined;
  const bound = tree.quoted ? undefined : readNumber(tree.text, 'text');
  if (bound === undefined) fields.problem(tree, `${prefix}${name} must be a number`);
  return bound;
}

const PAIRS = [
  ['minLength', 'maxLength', 'min_length', 'max_length'],
  ['minItems', 'maxItems', 'min_items', 'max_items'],
  ['minimum', 'maximum', 'minimum', 'maximum'],
] as const;

/** Drops bounds that exclude each other, so that they do not exclude the default as well. */
function checkBounds(fields: DocumentFields, tree: Tree, path: string, declaration: Declaration): Declaration {
  let checked = declaration;
  for (const [min, max, minName, maxName] of PAIRS) {
    const low = declaration[min];
    const high = declaration[max];
    if (low === undefined || high === undefined || Number(low) <= Number(high)) continue;
    fields.problem(tree, `${path}.${minName} is larger than ${path}.${maxName}`);
    checked = { ...checked, [min]: undefined, [max]: undefined };
  }
  return checked;
}

function exampleOf(map: MapTree | undefined): PlainValue | undefined {
  const tree = map?.fields.get('example');
  return tree === undefined ? undefined : plainTree(tree, () => false);
}

/** Checks the default against the declaration. */
function withDefault(fields: DocumentFields, map: MapTree | undefined, path: string, declaration: Declaration): Declaration {
  const tree = map?.fields.get('default');
  if (tree === undefined) return declaration;
  const problems: FieldProblem[] = [];
  const fallback = compileCheck(declaration)(writtenValue(tree, declaration), 'json', `${path}.default`, problems);
  for (const { field, message } of problems) fields.problem(tree, `${field} ${message}`);
  return { ...declaration, default: fallback };
}

/** Converts a YAML value to the declared type if possible. */
function writtenValue(tree: Tree, declaration: Declaration | undefined): PlainValue {
  if (tree.kind === 'list') return tree.items.map((item) => writtenValue(item, declaration?.items));
  if (tree.kind === 'map') {
    const map: PlainMap = new Map();
    for (const [name, field] of tree.fields) map.set(name, writtenValue(field, declaration?.fields?.get(name)));
    return map;
  }
  if (tree.value === null) return null;
  switch (declaration?.type) {
    case 'string':
    case 'date':
    case 'timestamp':
    case 'uuid':
      return tree.text;
    case 'integer':
      return tree.quoted ? tree.text : (readInteger(tree.text, 'text') ?? tree.value);
    case 'number':
      return tree.quoted ? tree.text : (readNumber(tree.text, 'text') ?? tree.value);
    default:
      return tree.value;
  }
}

const ABOUT = ['summary', 'description', 'tags', 'deprecated'];

export function readAbout(fields: DocumentFields, root: MapTree): About {
  const tree = root.fields.get('about');
  const section = tree === undefined ? undefined : fields.map(tree, 'about');
  if (section !== undefined) fields.known(section, 'about.', ABOUT);
  const tags = section?.fields.get('tags');
  const items = tags?.kind === 'list' ? tags.items : [];
  if (tags !== undefined && (tags.kind !== 'list' || !items.every((item) => item.kind === 'scalar')))
    fields.problem(tags, 'about.tags must be a list of texts');
  return {
    summary: fields.text(section, 'summary', 'about.', 'optional'),
    description: fields.text(section, 'description', 'about.', 'optional'),
    tags: items.flatMap((item) => (item.kind === 'scalar' ? [item.text] : [])),
    deprecated: fields.flag(section, 'deprecated', 'about.', false),
  };
}
