/** Checks calls of builtins: predicates and arguments. */
import type { BuiltinNode, Node } from '../syntax/ast.ts';
import {
  ANY,
  ARRAY,
  arrayOf,
  BOOL,
  bare,
  deref,
  describe,
  elemOf,
  GROUPS,
  INT,
  isArray,
  isAssignable,
  isBool,
  isInteger,
  isUnknown,
  type Nature,
  UNKNOWN,
} from '../types/nature.ts';
import { type CallSignature, isOrder, OVERLOADS, PREDICATE_ARGS, VALIDATORS } from '../types/signatures.ts';
import { argumentProblem } from './arguments.ts';
import type { CheckContext } from './context.ts';

/**
 * Type rule of a builtin with a predicate: derives the nature of the result from the natures of the
 * collection and the predicate.
 */
interface PredicateRule {
  readonly gives: (collection: Nature, body: Nature) => Nature;
  readonly test?: true;
  readonly pointers?: readonly (readonly [string, Nature])[];
}

const INDEX = ['index', INT] as const;
const itemOf = (collection: Nature): Nature => (isUnknown(collection) ? UNKNOWN : elemOf(collection));
const test = (gives: PredicateRule['gives']): PredicateRule => ({ gives, test: true });

const RULES: Readonly<Record<string, PredicateRule>> = {
  all: test(() => BOOL),
  none: test(() => BOOL),
  any: test(() => BOOL),
  one: test(() => BOOL),
  filter: test((collection) => (isUnknown(collection) ? ARRAY : arrayOf(elemOf(collection)))),
  map: { gives: (_, body) => arrayOf(body), pointers: [INDEX] },
  count: test(() => INT),
  sum: { gives: (_, body) => (isUnknown(body) ? ANY : bare(body)) },
  find: test(itemOf),
  findLast: test(itemOf),
  findIndex: test(() => INT),
  findLastIndex: test(() => INT),
  groupBy: { gives: () => GROUPS },
  sortBy: { gives: (collection) => collection },
  reduce: { gives: (_, body) => body, pointers: [INDEX, ['acc', UNKNOWN]] },
};

export function checkBuiltin(checker: CheckContext, node: BuiltinNode): Nature {
  if (PREDICATE_ARGS.has(node.name)) return checkPredicate(checker, node);
  if (node.name === 'get') return checkGet(checker, node);
  const overloads = OVERLOADS.get(node.name);
  const natures = node.args.map((arg) => checker.visit(arg));
  if (overloads !== undefined) return checkOverloads(checker, node, overloads, natures);
  const result = VALIDATORS.get(node.name)?.(natures.map(asAny)) ?? 'is not known';
  return typeof result === 'string' ? checker.fail(node, `${node.name} ${result}`) : bare(result);
}

/**
 * Finds the first matching signature. Visits the arguments only once; otherwise nested calls would
 * take exponential time.
 */
function checkOverloads(checker: CheckContext, node: BuiltinNode, overloads: readonly CallSignature[], natures: readonly Nature[]): Nature {
  let wrong: { readonly node: Node; readonly message: string } | undefined;
  for (const { params, result } of overloads) {
    wrong = argumentProblem(node, { name: node.name, params, result }, node.args, natures);
    if (wrong === undefined) return result;
  }
  return checker.fail(wrong?.node ?? node, wrong?.message ?? '');
}

function asAny(nature: Nature): Nature {
  return isUnknown(nature) ? ANY : nature;
}

function checkPredicate(checker: CheckContext, node: BuiltinNode): Nature {
  const [list, predicate, last] = node.args;
  const rule = RULES[node.name];
  if (list === undefined || rule === undefined) return checker.fail(node, `${node.name} needs more arguments`);
  const collection = deref(checker.visit(list));
  if (!isArray(collection) && !isUnknown(collection)) checker.fail(list, `${node.name} takes an array, not ${describe(collection)}`);
  if (predicate === undefined) return node.name === 'count' ? INT : itemOf(collection);
  const body = checker.inPredicate(collection, rule.pointers ?? [], predicate);
  if (last !== undefined) {
    const nature = checker.visit(last);
    if (node.name === 'sortBy' && !isOrder(nature)) checker.fail(last, `the order of sortBy is a string, not ${describe(nature)}`);
  }
  if (body === undefined) return checker.fail(predicate, `the predicate of ${node.name} gives nothing`);
  if (rule.test && !isBool(body) && !isUnknown(body))
    checker.fail(predicate, `the predicate of ${node.name} gives a bool, not ${describe(body)}`);
  return rule.gives(collection, body);
}

function checkGet(checker: CheckContext, node: BuiltinNode): Nature {
  const [from, key] = node.args;
  if (from === undefined || key === undefined || node.args.length !== 2)
    return checker.fail(node, `get takes 2 arguments, not ${node.args.length}`);
  const base = checker.visit(from);
  const property = deref(checker.visit(key));
  if (isUnknown(base)) return UNKNOWN;
  if (isArray(base)) {
    if (!isInteger(property) && !isUnknown(property))
      checker.fail(key, `the elements of an array are chosen by an int, not by ${describe(property)}`);
    return elemOf(base);
  }
  if (base.kind !== 'map') return checker.fail(from, `${describe(base)} has no elements`);
  if (!isAssignable(property, base.key ?? UNKNOWN) && !isUnknown(property))
    checker.fail(key, `${describe(property)} is no key of a ${describe(base)}`);
  return elemOf(base);
}
