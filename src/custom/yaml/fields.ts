/**
 * Reads fields of a YAML tree and notes every problem with its line, so that an author hears of all of them at once.
 * A wrong field reads as its fallback; nobody uses a document that has problems. Knows no field by name.
 */
import type { LineProblem, ListTree, MapTree, ScalarTree, SourcePlace, Tree } from './yaml-tree.ts';

export class DocumentFields {
  readonly problems: LineProblem[] = [];

  problem({ line, column }: SourcePlace, message: string): void {
    this.problems.push({ line, column, message });
  }

  map(tree: Tree, name: string): MapTree | undefined {
    if (tree.kind === 'map') return tree;
    this.problem(tree, `${name} must be a mapping`);
    return undefined;
  }

  /** A section that must be there. */
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

  /** Undefined when the field is absent or empty. */
  scalar(parent: MapTree | undefined, name: string, prefix: string): ScalarTree | undefined {
    const tree = parent?.fields.get(name);
    if (tree === undefined) return undefined;
    if (tree.kind !== 'scalar') {
      this.problem(tree, `${prefix}${name} must be a single value`);
      return undefined;
    }
    return tree.value === null ? undefined : tree;
  }

  /** The text as written. */
  text(
    parent: MapTree | undefined,
    name: string,
    prefix: string,
    need: 'required' | 'optional',
    check?: (text: string) => string | undefined,
  ): string | undefined {
    const tree = this.scalar(parent, name, prefix);
    if (tree === undefined || tree.text === '') {
      if (need === 'required' && parent !== undefined && (tree !== undefined || parent.fields.get(name)?.kind !== 'map'))
        this.problem(parent.fields.get(name) ?? parent, `${prefix}${name} is missing`);
      return undefined;
    }
    const wrong = check?.(tree.text);
    if (wrong !== undefined) this.problem(tree, `${prefix}${name} ${wrong}`);
    return tree.text;
  }

  flag(parent: MapTree | undefined, name: string, prefix: string, fallback: boolean): boolean {
    const tree = this.scalar(parent, name, prefix);
    if (tree === undefined) return fallback;
    if (tree.value === true || tree.value === false) return tree.value;
    this.problem(tree, `${prefix}${name} must be true or false`);
    return fallback;
  }

  whole(parent: MapTree | undefined, name: string, prefix: string, fallback: number, least: number, most: number): number {
    const tree = this.scalar(parent, name, prefix);
    if (tree === undefined) return fallback;
    const value = Number(tree.text);
    if (/^\d{1,15}$/.test(tree.text) && value >= least && value <= most) return value;
    this.problem(tree, `${prefix}${name} must be a whole number from ${least} to ${most}`);
    return fallback;
  }
}
