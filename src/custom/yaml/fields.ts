/**
 * Reads fields of a YAML tree and collects all problems with their lines. An invalid field yields
 * its fallback; documents with problems are never used.
 */
import type { LineProblem, ListTree, MapTree, ScalarTree, SourcePlace, Tree } from './yaml-tree.ts';

export class DocumentFields {
  readonly problems: LineProblem[] = [];

  problem({ line, column }: SourcePlace, message: string): void {
    const isKnown = this.problems.some((known) => known.line === line && known.column === column && known.message === message);
    if (!isKnown) this.problems.push({ line, column, message });
  }

  map(tree: Tree, name: string): MapTree | undefined {
    if (tree.kind === 'map') return tree;
    this.problem(tree, `${name} must be a mapping`);
    return undefined;
  }

  /** Reads a required section. */
  section(parent: MapTree, name: string, prefix = ''): MapTree | undefined {
    const tree = parent.fields.get(name);
    if (tree !== undefined) return this.map(tree, prefix + name);
    this.problem(parent, `${prefix}${name} is missing`);
    return undefined;
  }

  list(parent: MapTree, name: string): ListTree | undefined {
    const tree = parent.fields.get(name);
    if (tree === undefined) this.problem(parent, `${name} is missing`);
    else if (tree.kind !== 'list') this.problem(tree, `${name} must be a list`);
    else if (tree.items.length === 0) this.problem(tree, `${name} must not be empty`);
    else return tree;
    return undefined;
  }

  known(tree: MapTree, prefix: string, names: readonly string[]): void {
    for (const [name, field] of tree.fields) {
      if (names.includes(name)) continue;
      this.problem(field, `${prefix}${name} is unknown; known are ${names.join(', ')}`);
    }
  }

  /** `undefined` if the field is absent or empty. */
  scalar(parent: MapTree | undefined, name: string, prefix: string): ScalarTree | undefined {
    const tree = parent?.fields.get(name);
    if (tree === undefined) return undefined;
    if (tree.kind !== 'scalar') {
      this.problem(tree, `${prefix}${name} must be a single value`);
      return undefined;
    }
    return tree.value === null ? undefined : tree;
  }

  /** Returns the scalar as written. */
  text(
    parent: MapTree | undefined,
    name: string,
    prefix: string,
    presence: 'required' | 'optional',
    check?: (text: string) => string | undefined,
  ): string | undefined {
    const tree = this.scalar(parent, name, prefix);
    if (tree === undefined || tree.text === '') {
      if (presence === 'required' && parent !== undefined && (tree !== undefined || parent.fields.get(name)?.kind !== 'map'))
        this.problem(parent.fields.get(name) ?? parent, `${prefix}${name} is missing`);
      return undefined;
    }
    const problem = check?.(tree.text);
    if (problem !== undefined) this.problem(tree, `${prefix}${name} ${problem}`);
    return tree.text;
  }

  flag(parent: MapTree | undefined, name: string, prefix: string, fallback: boolean): boolean {
    const tree = this.scalar(parent, name, prefix);
    if (tree === undefined) return fallback;
    if (tree.value === true || tree.value === false) return tree.value;
    this.problem(tree, `${prefix}${name} must be true or false`);
    return fallback;
  }

  whole(parent: MapTree | undefined, name: string, prefix: string, fallback: number, min: number, max: number): number {
    const tree = this.scalar(parent, name, prefix);
    if (tree === undefined) return fallback;
    const value = Number(tree.text);
    if (/^\d{1,15}$/.test(tree.text) && value >= min && value <= max) return value;
    this.problem(tree, `${prefix}${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }
}
