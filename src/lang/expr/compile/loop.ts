/**
 * Compiles the builtins that run a predicate over a list. One driver visits the elements and
 * charges the budget; a table maps each builtin to what it does with the predicate's results.
 */

import { readOrder, sorted } from '../library/array.ts';
import type { BuiltinNode } from '../syntax/ast.ts';
import { countNodes } from '../syntax/tree.ts';
import { type Items, itemsOf } from '../values/access.ts';
import { keyId } from '../values/compare.ts';
import { add } from '../values/number.ts';
import { type Code, chargeKept, itemOf, NO_ITEM, type Run } from '../values/run.ts';
import { AnyMap, type ExprValue, Fault, NIL_ARRAY, wantBool } from '../values/value.ts';
import type { EmitContext } from './context.ts';

interface Loop {
  readonly list: Code;
  readonly body: Code;
  readonly each: Code;
  /** Initial value of `reduce`, or order of `sortBy`. */
  readonly last: Code | undefined;
  /** Steps charged per element. */
  readonly weight: number;
  readonly at: number;
  readonly enough: number;
  readonly mustFind: boolean;
}

/** Receives the predicate's result; returns `true` to end the loop. */
type Visit = (result: ExprValue, index: number) => boolean;

type Direction = 'forward' | 'backward' | 'from the second';

function begin(run: Run, loop: Loop): Items {
  const value = loop.list(run);
  run.at = loop.at;
  return itemsOf(value, run.budget);
}

function itemAt({ list }: Items, i: number): ExprValue | typeof NO_ITEM {
  return list === undefined ? NO_ITEM : (list[i] ?? null);
}

function drive(run: Run, loop: Loop, items: Items, direction: Direction, visit: Visit): void {
  const { length } = items;
  const { body, weight } = loop;
  const { budget, item, index, acc } = run;
  const step = direction === 'backward' ? -1 : 1;
  const first = direction === 'backward' ? length - 1 : direction === 'forward' ? 0 : 1;
  for (let i = first; i >= 0 && i < length; i += step) {
    if ((budget.slice -= weight) < 0) budget.spend(0);
    run.item = itemAt(items, i);
    run.index = i;
    if (visit(body(run), i)) break;
  }
  run.item = item;
  run.index = index;
  run.acc = acc;
}

function isTrue(run: Run, at: number, result: ExprValue): boolean {
  if (result === true || result === false) return result;
  run.at = at;
  return wantBool(result);
}

type Maker = (loop: Loop) => Code;

/** Stops at the first element whose predicate returns `expected`. */
function search(expected: boolean, whenFound: boolean): Maker {
  return (loop) => (run) => {
    let answer = !whenFound;
    drive(run, loop, begin(run, loop), 'forward', (result) => {
      if (isTrue(run, loop.at, result) !== expected) return false;
      answer = whenFound;
      return true;
    });
    return answer;
  };
}

function find(direction: Direction, give: 'element' | 'index'): Maker {
  return (loop) => (run) => {
    let match: ExprValue | undefined;
    drive(run, loop, begin(run, loop), direction, (result, i) => {
      if (!isTrue(run, loop.at, result)) return false;
      match = give === 'index' ? i : loop.each(run);
      return true;
    });
    run.at = loop.at;
    if (match === undefined && loop.mustFind) throw new Fault('the index is out of range, nothing was found');
    return match ?? null;
  };
}

function counting(done: (count: number) => ExprValue): Maker {
  return (loop) => (run) => {
    let count = 0;
    drive(run, loop, begin(run, loop), 'forward', (result) => isTrue(run, loop.at, result) && ++count >= loop.enough);
    return done(count);
  };
}

function filter(loop: Loop): Code {
  return (run) => {
    const out: ExprValue[] = [];
    drive(run, loop, begin(run, loop), 'forward', (result) => {
      if (isTrue(run, loop.at, result)) {
        const item = loop.each(run);
        chargeKept(run.budget, item);
        out.push(item);
      }
      return false;
    });
    return out;
  };
}

function map(loop: Loop): Code {
  return (run) => {
    const out: ExprValue[] = [];
    drive(run, loop, begin(run, loop), 'forward', (result) => {
      chargeKept(run.budget, result);
      out.push(result);
      return false;
    });
    return out;
  };
}

function sum(loop: Loop): Code {
  return (run) => {
    let total: ExprValue = 0;
    drive(run, loop, begin(run, loop), 'forward', (result) => {
      run.at = loop.at;
      total = add(result, total);
      return false;
    });
    return total;
  };
}

function groupBy(loop: Loop): Code {
  return (run) => {
    const groups = new AnyMap(NIL_ARRAY);
    drive(run, loop, begin(run, loop), 'forward', (key) => {
      run.at = loop.at;
      const item = itemOf(run);
      const id = keyId(key, run.budget);
      const group = groups.entries.get(id);
      run.budget.charge(group === undefined ? 128 : 8);
      if (group === undefined) chargeKept(run.budget, key);
      if (group === undefined) groups.entries.set(id, { key, value: [item] });
      else (group.value as ExprValue[]).push(item);
      return false;
    });
    return groups;
  };
}

function sortBy(loop: Loop): Code {
  return (run) => {
    const items = begin(run, loop);
    const direction = loop.last === undefined ? 'asc' : readOrder(loop.last(run));
    const list: ExprValue[] = [];
    const keys: ExprValue[] = [];
    drive(run, loop, items, 'forward', (key) => {
      chargeKept(run.budget, key);
      list.push(itemOf(run));
      keys.push(key);
      return false;
    });
    run.at = loop.at;
    return sorted(list, keys, direction, run.budget);
  };
}

/** The initial value, by default the first element. */
function initialValue(run: Run, loop: Loop, items: Items): ExprValue {
  if (loop.last !== undefined) return loop.last(run);
  if (items.length === 0) throw new Fault('reduce of an empty array needs an initial value');
  const { item } = run;
  run.item = itemAt(items, 0);
  const first = itemOf(run);
  run.item = item;
  return first;
}

function reduce(loop: Loop): Code {
  const direction = loop.last === undefined ? 'from the second' : 'forward';
  return (run) => {
    const items = begin(run, loop);
    const outer = run.acc;
    let result = initialValue(run, loop, items);
    run.acc = result;
    drive(run, loop, items, direction, (value) => {
      run.acc = value;
      result = value;
      return false;
    });
    run.acc = outer;
    return result;
  };
}

const LOOPS: Readonly<Record<string, Maker>> = {
  all: search(false, false),
  none: search(true, false),
  any: search(true, true),
  one: counting((count) => count === 1),
  count: counting((count) => count),
  filter,
  map,
  sum,
  find: find('forward', 'element'),
  findLast: find('backward', 'element'),
  findIndex: find('forward', 'index'),
  findLastIndex: find('backward', 'index'),
  groupBy,
  sortBy,
  reduce,
};

export function emitLoop(emitter: EmitContext, node: BuiltinNode): Code {
  const [list, predicate, last] = node.args;
  const maker = LOOPS[node.name];
  if (list === undefined || maker === undefined) throw new Error(`${node.name} has no list`);
  return maker({
    list: emitter.emit(list),
    body: predicate === undefined ? itemOf : emitter.emit(predicate),
    each: node.each === undefined ? itemOf : emitter.emit(node.each),
    last: last && emitter.emit(last),
    weight: 1 + (predicate === undefined ? 0 : countNodes(predicate)),
    at: node.at,
    enough: node.enough ?? Number.POSITIVE_INFINITY,
    mustFind: node.mustFind ?? false,
  });
}
