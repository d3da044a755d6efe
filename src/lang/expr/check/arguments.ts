/** Checks the arguments of a call against a signature. */
import type { Node } from '../syntax/ast.ts';
import { type Callable, describe, isAssignable, isInteger, isNil, isUnknown, type Nature, UNKNOWN } from '../types/nature.ts';

/**
 * First error in the arguments of a call. The natures are passed in, because a call may be checked
 * against several signatures.
 */
export function argumentProblem(
  node: Node,
  { name, params, result }: Callable,
  args: readonly Node[],
  natures: readonly Nature[],
): { readonly node: Node; readonly message: string } | undefined {
  if (result === undefined) return { node, message: `${name} gives more than one value` };
  if (args.length !== params.length) return { node, message: `too ${args.length < params.length ? 'few' : 'many'} arguments for ${name}` };
  for (const [i, arg] of args.entries()) {
    const actual = natures[i] ?? UNKNOWN;
    const expected = params[i] ?? UNKNOWN;
    if (isInteger(expected) && isInteger(actual)) continue;
    const fits = isNil(actual)
      ? expected.kind === 'interface' || expected.kind === 'pointer'
      : isUnknown(actual) || isAssignable(actual, expected);
    if (!fits) return { node: arg, message: `${name} takes ${describe(expected)} here, not ${describe(actual)}` };
  }
  return undefined;
}
