/**
 * Reads typed fields of an app's document and collects all problems with their paths and places. A
 * wrong field is reported and reads as absent.
 */
import { DocumentFields } from '../../custom/yaml/fields.ts';
import type { MapTree, SourcePlace, Tree } from '../../custom/yaml/yaml-tree.ts';
import { type AppProblem, childPath, type Spot } from './problems.ts';

/** Returns the problem of a text, or `undefined`. */
export type TextCheck = (text: string) => string | undefined;

export class AppReader extends DocumentFields {
  readonly malformed: AppProblem[] = [];
  readonly #spots = new Map<SourcePlace, Spot>();

  constructor(root: Tree) {
    super();
    this.#place(root, { path: '', line: root.line, column: root.column });
  }

  /** The value of an alias is placed at its anchor. */
  #place(tree: Tree, spot: Spot): void {
    if (this.#spots.has(tree)) return;
    this.#spots.set(tree, spot);
    if (tree.kind === 'list')
      for (const [index, item] of tree.items.entries())
        this.#place(item, { path: childPath(spot.path, index), line: item.line, column: item.column });
    if (tree.kind === 'map')
      for (const [name, field] of tree.fields) {
        const { line, column } = tree.keys.get(name) ?? field;
        this.#place(field, { path: childPath(spot.path, name), line, column });
      }
  }

  spotOf(tree: SourcePlace): Spot {
    return this.#spots.get(tree) ?? { path: '', line: tree.line, column: tree.column };
  }

  /** Gives a tree that was derived from another the place of the original. */
  placeAs(derived: Tree, original: Tree): void {
    this.#spots.set(derived, this.spotOf(original));
  }

  /** A message that begins with a path below that of the tree is about that path. */
  override problem(tree: SourcePlace, message: string): void {
    const spot = this.spotOf(tree);
    const [subject = '', ...rest] = message.split(' ');
    const isNamed = spot.path !== '' && subject.startsWith(spot.path) && rest.length > 0;
    const problem = isNamed ? { ...spot, path: subject, message: rest.join(' ') } : { ...spot, message };
    this.problems.push(problem);
    this.malformed.push(problem);
  }

  missing(parent: Tree, name: string): void {
    const spot = this.spotOf(parent);
    this.malformed.push({ ...spot, path: childPath(spot.path, name), message: 'is missing' });
  }

  /** Reads a mapping and reports unknown fields. */
  mapping(tree: Tree, known: readonly string[], what = 'a mapping'): MapTree | undefined {
    if (tree.kind !== 'map') {
      this.problem(tree, `must be ${what}`);
      return undefined;
    }
    for (const [name, field] of tree.fields) if (!known.includes(name)) this.problem(field, `is unknown; known are ${known.join(', ')}`);
    return tree;
  }

  /** Reports a required field that is absent. */
  required(parent: MapTree, name: string): Tree | undefined {
    const tree = parent.fields.get(name);
    if (tree === undefined) this.missing(parent, name);
    return tree;
  }

  /** Reads a scalar that is a string, not one that only looks like it. */
  string(parent: MapTree, name: string, check?: TextCheck): string | undefined {
    const tree = parent.fields.get(name);
    return tree === undefined ? undefined : this.stringAt(tree, check);
  }

  stringAt(tree: Tree, check?: TextCheck): string | undefined {
    if (tree.kind !== 'scalar' || typeof tree.value !== 'string') {
      this.problem(tree, 'must be a string');
      return undefined;
    }
    const problem = check?.(tree.value);
    if (problem !== undefined) this.problem(tree, problem);
    return problem === undefined ? tree.value : undefined;
  }

  requiredString(parent: MapTree, name: string, check?: TextCheck): string | undefined {
    return this.required(parent, name) === undefined ? undefined : this.string(parent, name, check);
  }

  oneOf(parent: MapTree, name: string, choices: readonly (string | boolean)[]): string | boolean | undefined {
    const tree = parent.fields.get(name);
    if (tree === undefined) return undefined;
    const chosen = tree.kind === 'scalar' ? choices.find((choice) => choice === tree.value) : undefined;
    if (chosen === undefined) this.problem(tree, `must be one of ${choices.join(', ')}`);
    return chosen;
  }

  boolean(parent: MapTree, name: string): boolean | undefined {
    const tree = parent.fields.get(name);
    if (tree === undefined) return undefined;
    if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value;
    this.problem(tree, 'must be true or false');
    return undefined;
  }

  integer(parent: MapTree, name: string, min: number, max: number): number | undefined {
    const tree = parent.fields.get(name);
    if (tree === undefined) return undefined;
    const value = tree.kind === 'scalar' ? tree.value : undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    this.problem(tree, `must be a whole number from ${min} to ${max}`);
    return undefined;
  }

  /** Reads a list; with `least` 1 it must not be empty. */
  items(parent: MapTree, name: string, least = 0): readonly Tree[] {
    const tree = parent.fields.get(name);
    return tree === undefined ? [] : this.itemsAt(tree, least);
  }

  itemsAt(tree: Tree, least = 0): readonly Tree[] {
    if (tree.kind === 'list' && tree.items.length >= least) return tree.items;
    this.problem(tree, least === 0 ? 'must be a list' : 'must be a list with at least one item');
    return [];
  }

  /** Reports items whose name occurred before. Returns the names. */
  distinct(items: readonly { readonly name: string; readonly tree: Tree }[], what: string): ReadonlySet<string> {
    const seen = new Set<string>();
    for (const { name, tree } of items) {
      if (seen.has(name)) this.problem(tree, `names the ${what} ${JSON.stringify(name)} again`);
      seen.add(name);
    }
    return seen;
  }
}

export type { MapTree, Tree };

export const atMost =
  (max: number, min = 0): TextCheck =>
  (text) => {
    const { length } = [...text];
    if (length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
    return length > max ? `must have at most ${max} characters` : undefined;
  };

export const matching =
  (pattern: RegExp, message: string): TextCheck =>
  (text) =>
    pattern.test(text) ? undefined : message;
