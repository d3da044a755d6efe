/**
 * Signatures of the builtins: which take predicates, what arguments they accept, and what they
 * return.
 */
import {
  ANY,
  ANY_MAP,
  ARRAY,
  arrayOf,
  BOOL,
  bare,
  type Callable,
  DURATION,
  deref,
  describe,
  elemOf,
  FLOAT,
  functionNature,
  GROUPS,
  INT,
  isString,
  type Nature,
  type NatureKind,
  STRING,
  STRINGS,
  TIME,
  ZONE,
} from './nature.ts';

/**
 * Builtins that run a predicate over a list, with the kind of each argument; `?` marks an optional
 * one.
 */
export const PREDICATE_ARGS: ReadonlyMap<string, readonly string[]> = new Map([
  ...['all', 'none', 'any', 'one', 'filter', 'map', 'find', 'findIndex', 'findLast', 'findLastIndex', 'groupBy'].map(
    (name): [string, string[]] => [name, ['value', 'predicate']],
  ),
  ['count', ['value', 'predicate?']],
  ['sum', ['value', 'predicate?']],
  ['sortBy', ['value', 'predicate', 'value?']],
  ['reduce', ['value', 'predicate', 'value?']],
]);

/** One overload of a builtin. */
export interface CallSignature {
  readonly params: readonly Nature[];
  readonly result: Nature;
}

const takes = (params: readonly Nature[], result: Nature): CallSignature => ({ params, result });
const INTS: Nature = { kind: 'slice', type: 'array of ints', elem: INT };
const FLOATS: Nature = { kind: 'slice', type: 'array of floats', elem: FLOAT };
const sortable = [ARRAY, INTS, FLOATS, STRINGS];
const twoStrings = (result: Nature): CallSignature[] => [takes([STRING, STRING], result)];
const twoInts = [takes([INT, INT], INT)];

export const OVERLOADS: ReadonlyMap<string, readonly CallSignature[]> = new Map<string, readonly CallSignature[]>([
  ['type', [takes([ANY], STRING)]],
  ['refuse', [takes([INT, STRING], ANY), takes([ANY, ANY], ANY)]],
  ['string', [takes([ANY], STRING)]],
  ['trim', [takes([STRING], STRING), takes([STRING, STRING], STRING)]],
  ['trimPrefix', [takes([STRING, STRING], STRING), takes([STRING], STRING)]],
  ['trimSuffix', [takes([STRING, STRING], STRING), takes([STRING], STRING)]],
  ['upper', [takes([STRING], STRING)]],
  ['lower', [takes([STRING], STRING)]],
  ['split', [takes([STRING, STRING], STRINGS), takes([STRING, STRING, INT], STRINGS)]],
  ['splitAfter', [takes([STRING, STRING], STRINGS), takes([STRING, STRING, INT], STRINGS)]],
  ['replace', [takes([STRING, STRING, STRING, INT], STRING), takes([STRING, STRING, STRING], STRING)]],
  ['repeat', [takes([STRING, INT], STRING)]],
  ['join', [takes([STRINGS, STRING], STRING), takes([ARRAY, STRING], STRING), takes([ARRAY], STRING), takes([STRINGS], STRING)]],
  ['indexOf', twoStrings(INT)],
  ['lastIndexOf', twoStrings(INT)],
  ['hasPrefix', twoStrings(BOOL)],
  ['hasSuffix', twoStrings(BOOL)],
  ['toJSON', [takes([ANY], STRING)]],
  ['fromJSON', [takes([STRING], ANY)]],
  ['toBase64', [takes([STRING], STRING)]],
  ['fromBase64', [takes([STRING], STRING)]],
  ['duration', [takes([STRING], DURATION)]],
  ['timezone', [takes([STRING], ZONE)]],
  ['sort', [...sortable.map((list) => takes([list, STRING], ARRAY)), ...sortable.map((list) => takes([list], ARRAY))]],
  ['bitand', twoInts],
  ['bitor', twoInts],
  ['bitxor', twoInts],
  ['bitnand', twoInts],
  ['bitshl', twoInts],
  ['bitshr', twoInts],
  ['bitushr', twoInts],
  ['bitnot', [takes([INT], INT)]],
]);

/** Returns the nature of the result, or an error message about the arguments. */
export type Validator = (args: readonly Nature[]) => Nature | string;

const NUMERIC: ReadonlySet<NatureKind> = new Set<NatureKind>(['int', 'uint8', 'int64', 'float', 'interface']);
const LISTS: ReadonlySet<NatureKind> = new Set<NatureKind>(['slice', 'interface']);
const MAPS: ReadonlySet<NatureKind> = new Set<NatureKind>(['map', 'interface']);
const SIZED: ReadonlySet<NatureKind> = new Set<NatureKind>(['slice', 'map', 'string', 'interface']);

function one(kinds: ReadonlySet<NatureKind>, result: (arg: Nature) => Nature): Validator {
  return (args) => {
    const [arg] = args;
    if (arg === undefined || args.length !== 1) return `takes 1 argument, not ${args.length}`;
    return kinds.has(deref(arg).kind) ? result(arg) : `does not take ${describe(arg)}`;
  };
}

const aggregate: Validator = (args) => {
  const [first] = args;
  if (first === undefined) return 'needs an argument';
  for (const arg of args) {
    if (LISTS.has(arg.kind)) return ANY;
    if (!NUMERIC.has(arg.kind)) return `does not take ${describe(arg)}`;
  }
  return first;
};

const withText = new Set([...NUMERIC, 'string' as const]);
const element = (list: Nature): Nature => (list.kind === 'interface' ? ANY : bare(elemOf(bare(list))));

export const VALIDATORS: ReadonlyMap<string, Validator> = new Map<string, Validator>([
  ['len', one(SIZED, () => INT)],
  ['abs', one(NUMERIC, (arg) => arg)],
  ['ceil', one(NUMERIC, () => FLOAT)],
  ['floor', one(NUMERIC, () => FLOAT)],
  ['round', one(NUMERIC, () => FLOAT)],
  ['int', one(withText, () => INT)],
  ['float', one(withText, () => FLOAT)],
  ['max', aggregate],
  ['min', aggregate],
  ['mean', aggregate],
  ['median', aggregate],
  ['first', one(LISTS, element)],
  ['last', one(LISTS, element)],
  ['keys', one(MAPS, () => ARRAY)],
  ['values', one(MAPS, () => ARRAY)],
  ['toPairs', one(MAPS, () => ARRAY)],
  ['fromPairs', one(LISTS, () => ANY_MAP)],
  ['reverse', one(LISTS, () => ARRAY)],
  ['uniq', one(LISTS, () => ARRAY)],
  ['flatten', one(LISTS, () => ARRAY)],
  ['concat', concatValidator],
  ['take', takeValidator],
  ['now', (args) => (args.length === 0 || (args.length === 1 && args[0]?.type === ZONE.type) ? TIME : 'takes nothing but a timezone')],
  ['date', dateValidator],
]);

function concatValidator(args: readonly Nature[]): Nature | string {
  if (args.length === 0) return 'needs an argument';
  const wrong = args.find((arg) => !LISTS.has(arg.kind));
  return wrong === undefined ? ARRAY : `does not take ${describe(wrong)}`;
}

function takeValidator(args: readonly Nature[]): Nature | string {
  const [list, count] = args;
  if (list === undefined || count === undefined || args.length !== 2) return `takes 2 arguments, not ${args.length}`;
  if (!LISTS.has(list.kind)) return `does not take ${describe(list)}`;
  return ['int', 'int64', 'interface'].includes(count.kind) ? bare(list) : `takes a number of elements, not ${describe(count)}`;
}

function dateValidator(args: readonly Nature[]): Nature | string {
  if (args.length < 1) return 'needs an argument';
  const rest = args[0]?.type === ZONE.type ? args.slice(1) : args;
  return rest.length > 3 ? `takes at most 3 arguments, not ${rest.length}` : TIME;
}

export function isBuiltin(name: string): boolean {
  return name === 'get' || PREDICATE_ARGS.has(name) || OVERLOADS.has(name) || VALIDATORS.has(name);
}

/** Nature of the result of a predicate builtin that is named but not called. */
const PREDICATE_RESULTS: ReadonlyMap<string, Nature> = new Map([
  ['filter', ARRAY],
  ['map', arrayOf(ANY)],
  ['find', ANY],
  ['findLast', ANY],
  ['findIndex', INT],
  ['findLastIndex', INT],
  ['count', INT],
  ['sum', INT],
  ['groupBy', GROUPS],
  ['sortBy', ARRAY],
  ['reduce', ANY],
]);

/** Nature of the name of a builtin that is not called. */
export function builtinNature(name: string): Nature {
  const [overload] = OVERLOADS.get(name) ?? [];
  const predicateArgs = PREDICATE_ARGS.get(name);
  const callable = (params: readonly Nature[], result: Nature): Callable => ({ name, params, result, builtin: name });
  if (overload !== undefined) {
    const signature = `(${overload.params.map(describe).join(', ')}) ${describe(overload.result)}`;
    return functionNature(signature, callable(overload.params, overload.result));
  }
  if (predicateArgs === undefined) return functionNature('(...) any', callable([], ANY));
  const result = PREDICATE_RESULTS.get(name) ?? BOOL;
  return functionNature(`(${predicateArgs.join(', ')}) ${describe(result)}`, callable([], result));
}

/** `true` if a value of this nature may be the order of `sortBy`. */
export function isOrder(nature: Nature): boolean {
  return isString(nature) || nature.kind === 'interface' || nature.type === '';
}

const OPEN = Number.POSITIVE_INFINITY;
const COUNTS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['get', [2, 2]],
  ['take', [2, 2]],
  ['now', [0, 1]],
  ['date', [1, 4]],
  ...['concat', 'max', 'min', 'mean', 'median'].map((name): [string, [number, number]] => [name, [1, OPEN]]),
]);

/**
 * As in the reference, a call that the checker cannot check may have surplus arguments. These
 * builtins then use the last argument, those of FIRST_COUNTS the first ones.
 */
export const LAST_COUNTS: ReadonlySet<string> = new Set([
  'len',
  'type',
  'abs',
  'ceil',
  'floor',
  'round',
  'int',
  'float',
  'string',
  'upper',
  'lower',
]);
const FIRST_COUNTS: ReadonlySet<string> = new Set([
  ...['first', 'last', 'get', 'toJSON', 'fromJSON', 'toBase64', 'fromBase64', 'duration', 'timezone', 'repeat', 'join', 'trimPrefix'],
  ...['trimSuffix', 'indexOf', 'lastIndexOf', 'hasPrefix', 'hasSuffix'],
]);

/** Minimum and maximum number of arguments of a builtin without a predicate. */
export function argumentCounts(name: string): readonly [number, number] {
  const lengths = OVERLOADS.get(name)?.map(({ params }) => params.length);
  const [min, max] = lengths === undefined ? (COUNTS.get(name) ?? [1, 1]) : [Math.min(...lengths), Math.max(...lengths)];
  return [min, LAST_COUNTS.has(name) || FIRST_COUNTS.has(name) ? OPEN : max];
}
