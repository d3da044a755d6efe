/**
 * Compiles `def` and `lambda`: the code once, and a function value over the current frame per
 * evaluation.
 */
import type { FunctionNode, ParameterNode } from '../syntax/ast.ts';
import type { CodeParameter, Evaluate, FunctionCode } from '../values/function.ts';
import { type Cell, type Frame, LarkFunction } from '../values/function.ts';
import { SLOT_BYTES } from '../values/iterate.ts';
import type { Compiler } from './context.ts';

export function compileFunction(compiler: Compiler, node: FunctionNode): Evaluate {
  const scope = node.scope;
  if (scope === undefined) throw new Error(`unresolved function ${node.name}`);
  const optional = node.params.filter((param) => param.kind === 'optional');
  const defaults = optional.map((param) => compiler.expression(param.fallback ?? { kind: 'tuple', at: node.at, items: [] }));
  const outerSlots = scope.free.map((binding) => compiler.scope.slotOf(binding));
  const code = layout(compiler, node, optional);
  const settled = new Set(
    node.params.flatMap((param) => (param.binding !== undefined && !param.binding.captured ? [param.binding.slot] : [])),
  );
  code.body = compiler.inside(scope, settled).block(node.body);
  return (frame, thread) => {
    thread.charge(SLOT_BYTES * 4);
    const values = defaults.map((fallback) => fallback(frame, thread));
    const cells = outerSlots.map((slot) => frame[slot] as Cell);
    return new LarkFunction(code, frame[0] as Frame, values, cells);
  };
}

function layout(compiler: Compiler, node: FunctionNode, optional: readonly ParameterNode[]): FunctionCode {
  const scope = node.scope ?? compiler.scope;
  const star = node.params.findIndex((param) => param.kind === 'star' || param.kind === 'bare-star');
  const slotOf = (param: ParameterNode | undefined): number => param?.binding?.slot ?? -1;
  const parameters = (params: readonly ParameterNode[]): CodeParameter[] =>
    params
      .filter((param) => param.kind === 'plain' || param.kind === 'optional')
      .map((param) => ({ name: param.name, slot: slotOf(param), fallback: optional.indexOf(param) }));
  const positional = parameters(star < 0 ? node.params : node.params.slice(0, star));
  const plain = node.params.every((param) => param.kind === 'plain' || param.kind === 'optional');
  return {
    name: node.name,
    source: compiler.source,
    positional,
    keywordOnly: star < 0 ? [] : parameters(node.params.slice(star)),
    starSlot: slotOf(node.params.find((param) => param.kind === 'star')),
    starStarSlot: slotOf(node.params.find((param) => param.kind === 'star-star')),
    simple: plain ? positional.length : -1,
    size: scope.size,
    cellSlots: scope.locals.filter((binding) => binding.captured).map((binding) => binding.slot),
    freeSlot: 1 + scope.locals.length,
    recursion: compiler.dialect.recursion,
    body: () => undefined,
    active: false,
  };
}
