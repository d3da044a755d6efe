/** Reads the sections `input` and `about` of a definition from YAML and notes every problem. Checks no call. */

import { re2 } from '../../util/on-demand.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { DocumentFields } from '../yaml/fields.ts';
import { type MapTree, plainTree, type ScalarTree, type Tree } from '../yaml/yaml-tree.ts';
import { compileCheck, type FieldProblem, readInteger, readNumber } from './checks.ts';
import { type About, DECLARED_TYPES, type Declaration, type Declarations, type DeclaredType, type ExactNumber } from './declaration.ts';

const COMMON = ['type', 'required', 'default', 'nullable', 'description', 'example'];

/** What may be said of a type beside what may be said of all. */
const OWN: Readonly<Record<DeclaredType, readonly string[]>> = {
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

const MOST_LEVELS = 8;
const MOST_INPUTS = 1000;
const LONGEST_NAME = 128;
const LONGEST_PATTERN = 1000;
const MOST = 2 ** 48;

/** Undefined: the definition declares nothing about its input. */
export function readInputs(fields: DocumentFields, root: MapTree): Declarations | undefined {
  const tree = root.fields.get('input');
  if (tree === undefined) return undefined;
  const section = fields.map(tree, 'input');
  return section === undefined ? new Map() : readDeclarations(fields, section, 'input', 1);
}

function readDeclarations(fields: DocumentFields, section: MapTree, path: string, level: number): Declarations {
  if (section.fields.size > MOST_INPUTS) fields.problem(section, `${path} declares more than ${MOST_INPUTS} names`);
  const declarations = new Map<string, Declaration>();
  for (const [name, tree] of section.fields) {
    if (name === '' || name.length > LONGEST_NAME) fields.problem(tree, `${path}: a name has 1 to ${LONGEST_NAME} characters`);
    declarations.set(name, readDeclaration(fields, tree, `${path}.${name}`, level));
  }
  return declarations;
}

function readDeclaration(fields: DocumentFields, tree: Tree, path: string, level: number): Declaration {
  const map = fields.map(tree, path);
  const prefix = `${path}.`;
  const type = map === undefined ? 'any' : readType(fields, map, prefix);
  if (map !== undefined) fields.known(map, prefix, [...COMMON, ...OWN[type]]);
  if (level > MOST_LEVELS && (type === 'object' || type === 'array'))
    fields.problem(tree, `${path} is nested deeper than ${MOST_LEVELS} levels`);
  const count = (name: string): number | undefined =>
    map?.fields.has(name) === true ? fields.whole(map, name, prefix, 0, 0, MOST) : undefined;
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
    items: level > MOST_LEVELS ? undefined : readItems(fields, map, prefix, level),
    minItems: count('min_items'),
    maxItems: count('max_items'),
    fields: level > MOST_LEVELS ? undefined : readFields(fields, map, prefix, level),
    maxBytes: count('max_bytes'),
  };
  checkBounds(fields, tree, path, declaration);
  return withDefault(fields, map, path, declaration);
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
  if (text.length > LONGEST_PATTERN) return `must have at most ${LONGEST_PATTERN} characters`;
  const { RE2JS, RE2JSException } = re2();
  try {
    RE2JS.compile(text);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return `is no regular expression of RE2: ${error.message}`;
    throw error;
  }
}

function readEnum(fields: DocumentFields, map: MapTree | undefined, prefix: string): readonly string[] | undefined {
  const tree = map?.fields.get('enum');
  if (tree === undefined) return undefined;
  const items = tree.kind === 'list' ? tree.items : [];
  if (items.length === 0 || !items.every((item) => item.kind === 'scalar')) fields.problem(tree, `${prefix}enum must be a list of texts`);
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

function checkBounds(fields: DocumentFields, tree: Tree, path: string, declaration: Declaration): void {
  for (const [least, most, leastName, mostName] of PAIRS) {
    const low = declaration[least];
    const high = declaration[most];
    if (low !== undefined && high !== undefined && Number(low) > Number(high))
      fields.problem(tree, `${path}.${leastName} is larger than ${path}.${mostName}`);
  }
}

function exampleOf(map: MapTree | undefined): PlainValue | undefined {
  const tree = map?.fields.get('example');
  return tree === undefined ? undefined : plainTree(tree, () => false);
}

/** A default must be what the declaration asks of callers. */
function withDefault(fields: DocumentFields, map: MapTree | undefined, path: string, declaration: Declaration): Declaration {
  const tree = map?.fields.get('default');
  if (tree === undefined || fields.problems.length > 0) return declaration;
  const problems: FieldProblem[] = [];
  const usual = compileCheck(declaration)(writtenValue(tree, declaration), 'json', `${path}.default`, problems);
  for (const { field, message } of problems) fields.problem(tree, `${field} ${message}`);
  return { ...declaration, default: usual };
}

/** What YAML says, as a value of the declared type where it can be one. */
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
