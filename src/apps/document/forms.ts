/** Reads forms: a call of an endpoint, or a write to a table, with fields, values and messages. */
import { DECLARED_TYPES } from '../../custom/inputs/declaration.ts';
import { DEFINITION_METHODS, type DefinitionMethod } from '../../model/definition.ts';
import { type FormField, MAX_FIELDS, type Placed, type WriteNeed } from './app-document.ts';
import { columnName, label } from './columns.ts';
import { type DocumentContext, placed, readValue, type ValueScope } from './context.ts';
import { readParameters, readTableKey, readUri, readVersion } from './data.ts';
import { readDeclared } from './inputs.ts';
import { readLinkAt } from './links.ts';
import { readOptions } from './options.ts';
import { atMost, type MapTree, type Tree } from './reader.ts';

const TARGETS = ['call', 'insert', 'update', 'delete'] as const;
type Target = (typeof TARGETS)[number];

const COMMON = ['fields', 'values', 'button', 'confirm', 'done'];
/** Fields of each kind of form, beside the common ones. */
const OWN: Readonly<Record<Target, readonly string[]>> = {
  call: ['call', 'method', 'version'],
  insert: ['insert'],
  update: ['update', 'key'],
  delete: ['delete', 'key'],
};
const METHODS = DEFINITION_METHODS.filter((method) => method !== 'get');
const MAX_TEXT = 500;

/** `row` in the scope: the form is shown for each row of a table. */
export function readForm(context: DocumentContext, tree: Tree, scope: ValueScope): void {
  const { reader } = context;
  const target = targetOf(context, tree);
  if (target === undefined || tree.kind !== 'map') return;
  const map = reader.mapping(tree, [...OWN[target], ...COMMON]);
  if (map === undefined) return;
  reader.string(map, 'button', label);
  reader.string(map, 'confirm', atMost(MAX_TEXT, 1));
  readDone(context, map);
  if (target === 'call') readCall(context, map, scope);
  else readWrite(context, map, target, scope);
}

/** The only target of a form. */
function targetOf({ reader }: DocumentContext, tree: Tree): Target | undefined {
  if (tree.kind !== 'map') {
    reader.problem(tree, 'must be a mapping');
    return undefined;
  }
  const [target, second] = TARGETS.filter((name) => tree.fields.has(name));
  const other = second === undefined ? undefined : tree.fields.get(second);
  if (target === undefined) reader.problem(tree, `must have one of ${TARGETS.join(', ')}`);
  if (other !== undefined) reader.problem(other, `does not go with ${target}`);
  return target;
}

function readCall(context: DocumentContext, map: MapTree, scope: ValueScope): void {
  const { reader, needs } = context;
  const uri = readUri(context, map, 'call');
  const method = (reader.oneOf(map, 'method', METHODS) ?? 'post') as DefinitionMethod;
  const version = readVersion(context, map);
  const { fields, inputs } = readContent(context, map, scope);
  if (uri !== undefined) needs.push({ of: 'endpoint', uri, method, version, inputs, fields, sendsAll: !map.fields.has('fields') });
}

function readWrite(context: DocumentContext, map: MapTree, operation: WriteNeed['operation'], scope: ValueScope): void {
  const { needs } = context;
  const table = readTableKey(context, map, operation);
  const key = operation === 'insert' ? undefined : readKey(context, map, scope);
  const { fields, inputs } = readContent(context, map, scope);
  const values = inputs.map(({ value, ...spot }) => ({ ...spot, value: value.name }));
  const sendsAll = !map.fields.has('fields');
  if (table !== undefined) needs.push({ of: 'write', table, operation, fields, values, key, sendsAll });
}

/** Reads the required key of a row, and returns how many values it has. */
export function readKey(context: DocumentContext, map: MapTree, scope: ValueScope): Placed<number> | undefined {
  const { reader } = context;
  const tree = reader.required(map, 'key');
  if (tree === undefined) return undefined;
  const values = tree.kind === 'list' ? reader.itemsAt(tree, 1) : [tree];
  for (const value of values) {
    if (value.kind === 'scalar' && value.value !== null && value.value !== '') readValue(context, value, scope);
    else reader.problem(value, 'must be a value or a placeholder');
  }
  return placed(context, tree, values.length);
}

type Content = { readonly fields: readonly FormField[]; readonly inputs: ReturnType<typeof readParameters> };

/** Reads what a form sends. A name is either shown or set. */
function readContent(context: DocumentContext, map: MapTree, scope: ValueScope): Content {
  const { reader } = context;
  const items = reader.items(map, 'fields');
  if (items.length > MAX_FIELDS) reader.problem(map.fields.get('fields') ?? map, `must have at most ${MAX_FIELDS} fields`);
  const read = items.flatMap((item) => {
    const field = readField(context, item);
    return field === undefined ? [] : [{ name: field.name, tree: item, field }];
  });
  const shown = reader.distinct(read, 'field');
  const inputs = readParameters(context, map, 'values', scope);
  for (const { value, ...spot } of inputs)
    if (shown.has(value.name)) reader.malformed.push({ ...spot, message: 'is a field too: either the form shows it or it has a value' });
  return { fields: read.map(({ field }) => field), inputs };
}

const FIELD = ['name', 'label', 'help', 'type', 'default', 'required', 'enum', 'options', 'multiline'];

function readField(context: DocumentContext, tree: Tree): FormField | undefined {
  const { reader } = context;
  if (tree.kind !== 'map') {
    const name = reader.stringAt(tree, columnName);
    return name === undefined ? undefined : { ...reader.spotOf(tree), name, type: undefined, required: undefined, enum: [] };
  }
  reader.mapping(tree, FIELD);
  const name = reader.requiredString(tree, 'name', columnName);
  reader.string(tree, 'label', label);
  reader.string(tree, 'help', atMost(MAX_TEXT));
  reader.boolean(tree, 'multiline');
  readOptions(context, tree.fields.get('options'));
  if (tree.fields.has('type')) readDeclared(reader, tree);
  else {
    reader.boolean(tree, 'required');
    for (const item of reader.items(tree, 'enum', 1)) if (item.kind !== 'scalar') reader.problem(item, 'must be a single value');
  }
  if (name === undefined) return undefined;
  return {
    ...reader.spotOf(tree.fields.get('name') ?? tree),
    name,
    type: typeIn(context, tree),
    required: requiredIn(context, tree),
    enum: enumIn(context, tree),
  };
}

function typeIn(context: DocumentContext, { fields }: MapTree): FormField['type'] {
  const tree = fields.get('type');
  const type = DECLARED_TYPES.find((known) => tree?.kind === 'scalar' && tree.value === known);
  return tree === undefined || type === undefined ? undefined : placed(context, tree, type);
}

function requiredIn(context: DocumentContext, { fields }: MapTree): FormField['required'] {
  const tree = fields.get('required');
  return tree?.kind === 'scalar' && typeof tree.value === 'boolean' ? placed(context, tree, tree.value) : undefined;
}

function enumIn(context: DocumentContext, { fields }: MapTree): FormField['enum'] {
  const tree = fields.get('enum');
  return tree?.kind === 'list' ? tree.items.flatMap((item) => (item.kind === 'scalar' ? [placed(context, item, item.text)] : [])) : [];
}

const DONE = ['message', 'open'];

/** A text, or a text and the app to open. The answer is the row of its placeholders. */
function readDone(context: DocumentContext, map: MapTree): void {
  const { reader } = context;
  const tree = map.fields.get('done');
  if (tree === undefined) return;
  if (tree.kind !== 'map') {
    reader.stringAt(tree, atMost(MAX_TEXT));
    return;
  }
  reader.mapping(tree, DONE, 'a text, or a mapping of message and open');
  reader.string(tree, 'message', atMost(MAX_TEXT));
  const open = tree.fields.get('open');
  if (open !== undefined) readLinkAt(context, open, { row: [] });
}
