/**
 * Finds the fields of a name that a program reads by a constant: `input.x`, `input["x"]`,
 * `input.get("x")`. Used for warnings.
 */
import type { Expression, LarkStatement } from './ast.ts';

/** Properties set by the resolver that lead out of the tree. */
const LEADS_OUT: ReadonlySet<string> = new Set(['binding', 'scope']);

export function memberReads(statements: readonly LarkStatement[], name: string): ReadonlySet<string> {
  const fields = new Set<string>();
  const isNamed = (node: Expression): boolean => node.kind === 'name' && node.name === name;
  const collect = (node: Expression | LarkStatement): 'done' | 'inside' => {
    if (node.kind === 'index' && isNamed(node.object) && node.key.kind === 'literal' && node.key.type === 'string')
      fields.add(String(node.key.value));
    if (node.kind === 'dot' && isNamed(node.object)) fields.add(node.name);
    if (node.kind !== 'call' || node.callee.kind !== 'dot' || !isNamed(node.callee.object)) return 'inside';
    const [first] = node.args;
    if (node.callee.name === 'get' && first?.value.kind === 'literal') fields.add(String(first.value.value));
    for (const { value } of node.args) visit(value);
    return 'done';
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
      if ('kind' in value && collect(value as Expression) === 'done') return;
      for (const key in value) if (!LEADS_OUT.has(key)) visit(value[key as keyof typeof value]);
    }
  };
  visit(statements);
  return fields;
}
