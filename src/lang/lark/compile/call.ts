/**
 * Compiles calls: fills the frame of a plain function directly, and calls methods without creating
 * bound values.
 */

import { getAttribute, methodOf, methodsNamed } from '../library/attributes.ts';
import type { Argument, DotNode, LarkCallNode } from '../syntax/ast.ts';
import { call, callBuiltin, invoke, NO_NAMED, newFrame } from '../values/call.ts';
import { fail } from '../values/failure.ts';
import type { Evaluate } from '../values/function.ts';
import { type Frame, LarkFunction, type NamedArgument } from '../values/function.ts';
import { ENTRY_BYTES } from '../values/indexing.ts';
import { elementsOf, SLOT_BYTES } from '../values/iterate.ts';
import { LarkDict } from '../values/table.ts';
import type { Thread } from '../values/thread.ts';
import { LarkList, type LarkValue, typeOf } from '../values/value.ts';
import type { Compiler } from './context.ts';

export function compileCall(compiler: Compiler, node: LarkCallNode): Evaluate {
  const plain = node.args.every((arg) => arg.kind === 'positional');
  if (node.callee.kind === 'dot') return methodCall(compiler, node, node.callee, plain);
  const callee = compiler.expression(node.callee);
  if (!plain) {
    const collect = collectArguments(compiler, node.args);
    return (frame, thread) => {
      const fn = callee(frame, thread);
      const { args, named } = collect(frame, thread, node.at);
      thread.at = node.at;
      return call(thread, fn, args, named, node.at);
    };
  }
  const args = node.args.map((arg) => compiler.expression(arg.value));
  return (FIXED[args.length] ?? anyCount)(callee, args, node.at);
}

type PlainCall = (callee: Evaluate, args: readonly Evaluate[], at: number) => Evaluate;

function one(args: readonly Evaluate[], index: number): Evaluate {
  return args[index] ?? (() => null);
}

const FIXED: readonly PlainCall[] = [
  (callee, _args, at) => (frame, thread) => {
    const fn = callee(frame, thread);
    thread.at = at;
    if (!(fn instanceof LarkFunction && fn.code.simple === 0)) return call(thread, fn, [], NO_NAMED, at);
    return invoke(thread, fn, newFrame(fn.code.size, fn.globals), at);
  },
  (callee, args, at) => {
    const first = one(args, 0);
    return (frame, thread) => {
      const fn = callee(frame, thread);
      const a = first(frame, thread);
      thread.at = at;
      if (!(fn instanceof LarkFunction && fn.code.simple === 1)) return call(thread, fn, [a], NO_NAMED, at);
      const inner = newFrame(fn.code.size, fn.globals);
      inner[1] = a;
      return invoke(thread, fn, inner, at);
    };
  },
  (callee, args, at) => {
    const first = one(args, 0);
    const second = one(args, 1);
    return (frame, thread) => {
      const fn = callee(frame, thread);
      const a = first(frame, thread);
      const b = second(frame, thread);
      thread.at = at;
      if (!(fn instanceof LarkFunction && fn.code.simple === 2)) return call(thread, fn, [a, b], NO_NAMED, at);
      const inner = newFrame(fn.code.size, fn.globals);
      inner[1] = a;
      inner[2] = b;
      return invoke(thread, fn, inner, at);
    };
  },
];

const anyCount: PlainCall = (callee, args, at) => (frame, thread) => {
  const fn = callee(frame, thread);
  const values = args.map((arg) => arg(frame, thread));
  thread.at = at;
  return call(thread, fn, values, NO_NAMED, at);
};

function methodCall(compiler: Compiler, node: LarkCallNode, dot: DotNode, plain: boolean): Evaluate {
  const object = compiler.expression(dot.object);
  const { name } = dot;
  const methods = methodsNamed(name);
  const collect = collectArguments(compiler, node.args);
  const general: Evaluate = (frame, thread) => finish(object(frame, thread), frame, thread);
  const finish = (self: LarkValue, frame: Frame, thread: Thread): LarkValue => {
    const body = methodOf(methods, self);
    if (body !== undefined) {
      const { args, named } = collect(frame, thread, node.at);
      thread.at = node.at;
      return callBuiltin(thread, name, body, args, named, self, node.at);
    }
    thread.at = dot.at;
    const callee = getAttribute(thread, self, name);
    const { args, named } = collect(frame, thread, node.at);
    thread.at = node.at;
    return call(thread, callee, args, named, node.at);
  };
  if (!plain || node.args.length !== 1 || name !== 'append') return general;
  const first = compiler.expression((node.args[0] as Argument).value);
  return (frame, thread) => {
    const self = object(frame, thread);
    if (!(self instanceof LarkList) || self.frozen || self.iterating > 0) return finish(self, frame, thread);
    const value = first(frame, thread);
    thread.at = node.at;
    if (self.frozen || self.iterating > 0) self.checkMutable('append to');
    if (--thread.slice < 0) thread.tick();
    thread.charge(SLOT_BYTES);
    self.items.push(value);
    return null;
  };
}

/** Steps charged per argument of `**`. */
const NAMED_STEPS = 4;

interface Collected {
  readonly args: LarkValue[];
  readonly named: NamedArgument;
}

type Collect = (frame: Frame, thread: Thread, at: number) => Collected;

/**
 * Positional and named arguments precede those of `*` and `**`, also if they are written later.
 */
function collectArguments(compiler: Compiler, nodes: readonly Argument[]): Collect {
  const positional = nodes.filter((arg) => arg.kind === 'positional').map((arg) => compiler.expression(arg.value));
  const named = nodes.filter((arg) => arg.kind === 'named').map((arg) => ({ name: arg.name, value: compiler.expression(arg.value) }));
  const spread = nodes.filter((arg) => arg.kind === 'spread').map((arg) => compiler.expression(arg.value))[0];
  const spreadNamed = nodes.filter((arg) => arg.kind === 'spread-named').map((arg) => compiler.expression(arg.value))[0];
  const simple = named.length === 0 && spread === undefined && spreadNamed === undefined;
  return (frame, thread, at) => {
    const args: LarkValue[] = [];
    for (let i = 0; i < positional.length; i++) args.push((positional[i] as Evaluate)(frame, thread));
    if (simple) return { args, named: NO_NAMED };
    const pairs: [string, LarkValue][] = named.map((arg) => [arg.name, arg.value(frame, thread)]);
    if (spread !== undefined) {
      const value = spread(frame, thread);
      thread.at = at;
      const items = elementsOf(thread, value) ?? fail(`argument after * must be iterable, not ${typeOf(value)}`);
      for (const item of items) args.push(item);
    }
    if (spreadNamed !== undefined) {
      const value = spreadNamed(frame, thread);
      thread.at = at;
      pushNamed(thread, pairs, value);
    }
    return { args, named: pairs };
  };
}

function pushNamed(thread: Thread, pairs: [string, LarkValue][], value: LarkValue): void {
  if (!(value instanceof LarkDict)) fail(`argument after ** must be a mapping, not ${typeOf(value)}`);
  thread.charge(value.size * ENTRY_BYTES);
  thread.spend(value.size * NAMED_STEPS);
  for (const [key, item] of value.pairs(thread)) {
    if (typeof key !== 'string') fail(`keywords must be strings, not ${typeOf(key)}`);
    pairs.push([key, item]);
  }
}
