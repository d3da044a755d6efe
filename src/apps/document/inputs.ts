/** Reads the section `inputs`: the declarations of Custom endpoints, and what pages add to them. */
import type { Declaration, DeclaredType } from '../../custom/inputs/declaration.ts';
import { readDeclaration, TYPE_SETTINGS } from '../../custom/inputs/read-declaration.ts';
import { type AppInput, MAX_INPUTS } from './app-document.ts';
import { type AppReader, atMost, type MapTree, matching, type Tree } from './reader.ts';
import { isRelativeDate } from './relative-dates.ts';

const NAME = /^[a-z][a-z0-9_]{0,30}$/;
const RESERVED = ['app', 'pwt', 'format', 'version'];
const TYPES: readonly DeclaredType[] = ['string', 'integer', 'number', 'boolean', 'date', 'timestamp', 'uuid', 'array'];
const DECLARED = ['type', 'required', 'default', 'description'];
/** Fields that only pages have. */
const OWN = ['label', 'hidden', 'options'];
const MAX_LABEL = 100;

export const inputName = matching(NAME, 'must begin with a lower-case letter and have at most 31 lower-case letters, digits and _');

export interface ReadInput extends AppInput {
  readonly options: Tree | undefined;
}

/** Names of declared types, with the settings of each. */
function settingsOf(tree: MapTree): readonly string[] {
  const type = tree.fields.get('type');
  const known = TYPES.find((name) => type?.kind === 'scalar' && type.value === name);
  return [...DECLARED, ...(known === undefined ? Object.values(TYPE_SETTINGS).flat() : TYPE_SETTINGS[known])];
}

export function readInputs(reader: AppReader, root: MapTree): ReadonlyMap<string, ReadInput> {
  const tree = root.fields.get('inputs');
  const inputs = new Map<string, ReadInput>();
  if (tree === undefined) return inputs;
  if (tree.kind !== 'map') {
    reader.problem(tree, 'must be a mapping of names to declarations');
    return inputs;
  }
  if (tree.fields.size > MAX_INPUTS) reader.problem(tree, `must have at most ${MAX_INPUTS} inputs`);
  for (const [name, field] of tree.fields) {
    const problem = RESERVED.includes(name) ? `must not be named ${RESERVED.join(', ')}` : inputName(name);
    if (problem !== undefined) reader.problem(field, problem);
    inputs.set(name, readInput(reader, field));
  }
  return inputs;
}

function readInput(reader: AppReader, tree: Tree): ReadInput {
  const map = tree.kind === 'map' ? reader.mapping(tree, [...settingsOf(tree), ...OWN]) : undefined;
  if (map !== undefined) reader.string(map, 'label', atMost(MAX_LABEL, 1));
  const isHidden = map !== undefined && reader.boolean(map, 'hidden') === true;
  return { declaration: readDeclared(reader, tree), isHidden, options: map?.fields.get('options') };
}

/** Reads the part of an input, or of a field of a form, that Custom endpoints have too. */
export function readDeclared(reader: AppReader, tree: Tree): Declaration {
  const declared = tree.kind === 'map' ? declaredPart(reader, tree) : tree;
  const declaration = readDeclaration(reader, declared, reader.spotOf(tree).path, 1);
  checkType(reader, tree, declaration, TYPES);
  return declaration;
}

/** The tree without fields that only pages have, and without a relative default. */
function declaredPart(reader: AppReader, tree: MapTree): MapTree {
  const settings = settingsOf(tree);
  const fields = new Map([...tree.fields].filter(([name, field]) => settings.includes(name) && !isRelativeDefault(tree, name, field)));
  const part: MapTree = { ...tree, fields };
  reader.placeAs(part, tree);
  return part;
}

function isRelativeDefault({ fields }: MapTree, name: string, field: Tree): boolean {
  const type = fields.get('type');
  const isTime = type?.kind === 'scalar' && (type.value === 'date' || type.value === 'timestamp');
  return name === 'default' && isTime && field.kind === 'scalar' && isRelativeDate(field.text);
}

const ITEM_TYPES = TYPES.filter((type) => type !== 'array');

function checkType(reader: AppReader, tree: Tree, { type, items }: Declaration, allowed: readonly DeclaredType[]): void {
  if (tree.kind !== 'map') return;
  const written = tree.fields.get('type');
  if (written?.kind === 'scalar' && written.value === type && !allowed.includes(type))
    reader.problem(written, `must be one of ${allowed.join(', ')}`);
  const item = tree.fields.get('items');
  if (type !== 'array') return;
  if (item === undefined || items === undefined) reader.missing(tree, 'items');
  else checkType(reader, item, items, ITEM_TYPES);
}
