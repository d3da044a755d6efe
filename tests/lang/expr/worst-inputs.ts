/**
 * Every operator and builtin of expr with what it charges, and the inputs for which it takes
 * longest. A test runs each of them and checks that the run ends soon after its time limit.
 */

/** Measure that the steps of an operation are proportional to. */
type Charge =
  | 'one step'
  | 'the elements'
  | 'the characters'
  | 'the digits'
  | 'both lengths'
  | 'n log n comparisons'
  | 'every part of the value'
  | 'the length times the pattern';

interface Operation {
  readonly charges: Charge;
  /** Expressions over the values of VALUES. */
  readonly worst: readonly string[];
}

const op = (charges: Charge, ...worst: readonly string[]): Operation => ({ charges, worst });

/** Expressions of the values, in order; each may use the ones before it. */
export const VALUES: Readonly<Record<string, string>> = {
  s: 'repeat("a", 500000)',
  same: 'repeat("a", 500000)',
  other: 'repeat("a", 499999) + "b"',
  wide: 'repeat("é", 200000)',
  broken: 'repeat("é"[:1], 100000)',
  marks: 'repeat("\\"", 200000)',
  needle: 'repeat("a", 1000) + "b" + repeat("a", 1000)',
  spaces: 'repeat(" ", 200000)',
  commas: 'repeat(",", 200000)',
  digits: 'repeat("9", 100000)',
  document: '"[" + repeat("1,", 100000) + "1]"',
  escapes: '"\\"" + repeat("\\\\n", 100000) + "\\""',
  ints: '1..200000',
  texts: 'map(1..2000, s)',
  names: 'map(1..20000, "k" + string(#))',
  record: 'fromPairs(map(names, [#, 1]))',
  shared: `${Array.from({ length: 60 }, (_, i) => `let v${i + 1} = [v${i}, v${i}];`).reduce((all, next) => all + next, 'let v0 = [1, 1];')} v60`,
  again: `${Array.from({ length: 60 }, (_, i) => `let v${i + 1} = [v${i}, v${i}];`).reduce((all, next) => all + next, 'let v0 = [1, 1];')} v60`,
  maps: `${Array.from({ length: 60 }, (_, i) => `let v${i + 1} = {a: v${i}, b: v${i}};`).reduce((all, next) => all + next, 'let v0 = {a: 1};')} v60`,
  twins: `${Array.from({ length: 60 }, (_, i) => `let v${i + 1} = {a: v${i}, b: v${i}};`).reduce((all, next) => all + next, 'let v0 = {a: 1};')} v60`,
  empties: `${Array.from({ length: 60 }, (_, i) => `let v${i + 1} = [v${i}, v${i}];`).reduce((all, next) => all + next, 'let v0 = [];')} v60`,
  data: 'date("2020-01-01").MarshalText()',
  times: 'map(1..5000, date("2020-01-01"))',
};

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  // Operators.
  '+': op('the characters', 's + other', 'broken + s', 'huge + 1', 'ints[5] + 1'),
  '-': op('the digits', 'huge - 1', '-huge'),
  '*': op('the digits', 'ints[5] * ints[6]', 'wider * wider'),
  '/': op('the digits', 'ints[5] / huge'),
  '%': op('the digits', 'huge % 7', 'huge % wider'),
  '**': op('one step', '1.0000001 ** 1e15'),
  '^': op('one step', 'ints[6] ^ 1e15'),
  '==': op(
    'every part of the value',
    's == same',
    'shared == again',
    'maps == twins',
    'empties == [shared]',
    'ints == ints[:]',
    'precise == 1',
    'huge == 1.5',
  ),
  '!=': op('every part of the value', 'shared != again', 'maps != twins'),
  '<': op('every part of the value', 's < other', 'precise < 1', 'huge < precise', 'wide < wide + "a"'),
  '<=': op('every part of the value', 's <= other'),
  '>': op('every part of the value', 's > other', 'huge > precise'),
  '>=': op('every part of the value', 's >= other'),
  in: op(
    'every part of the value',
    'shared in [again]',
    's in texts',
    'other in record',
    'other in texts',
    '-1 in ints',
    'precise in ints',
    '(s + "b") in ["a", "b"]',
  ),
  matches: op('the length times the pattern', 's matches "(a|aa)*b"', 's matches other[499000:]', 'wide matches "é*b"'),
  contains: op('both lengths', 's contains needle', 's contains other', 'wide contains "e"'),
  startsWith: op('both lengths', 's startsWith same', 'wide startsWith wide'),
  endsWith: op('both lengths', 's endsWith same'),
  '..': op('the elements', '1..100000', '1..9223372036854775000'),
  '??': op('one step', 'nothing ?? s'),
  '|': op('the elements', 'ints | len()'),
  and: op('one step', 'true and ints[0] == 1'),
  '&&': op('one step', 'true && ints[0] == 1'),
  or: op('one step', 'false or ints[0] == 1'),
  '||': op('one step', 'false || ints[0] == 1'),
  'x[i]': op('the characters', 's[5]', 'wide[5]', 'record[s]', 'ints[-1]', 'record[other + "x"]'),
  'x[i:j]': op('the characters', 's[1:]', 'wide[2:]', 'wide[1:]', 'ints[1:]', 'broken[1:]'),
  literal: op('the elements', '[s, s]', '{a: s}', '{(s): 1}'),

  // Builtins of values.
  abs: op('one step', 'abs(huge)'),
  bitand: op('one step', 'bitand(5, 6)'),
  bitnand: op('one step', 'bitnand(5, 6)'),
  bitnot: op('one step', 'bitnot(5)'),
  bitor: op('one step', 'bitor(5, 6)'),
  bitshl: op('one step', 'bitshl(5, 60)'),
  bitshr: op('one step', 'bitshr(5, 60)'),
  bitushr: op('one step', 'bitushr(-5, 60)'),
  bitxor: op('one step', 'bitxor(5, 6)'),
  ceil: op('one step', 'ceil(1.5)'),
  concat: op('the elements', 'concat(ints, ints)'),
  date: op(
    'the characters',
    'date("2020-01-01")',
    'date(repeat("0", 1000))',
    'date(repeat("0", 1000), repeat("2006", 250))',
    'date("2020-01-01", "2006-01-02", "Europe/Berlin")',
    'date("Mon, 02 Jan 2006 15:04:05 MST")',
  ),
  duration: op('the characters', 'duration(repeat("1s", 100))'),
  first: op('the characters', 'first(wide)', 'first(s)'),
  flatten: op('every part of the value', 'flatten(shared)', 'flatten(empties)', 'flatten(ints)'),
  float: op('the characters', 'float(digits[:300])', 'float(digits + "x")', 'float("0x" + s + "x")', 'float(repeat("1_1", 50000))'),
  floor: op('one step', 'floor(1.5)'),
  fromBase64: op('the characters', 'fromBase64(s)'),
  fromJSON: op('the characters', 'fromJSON(document)', 'fromJSON(escapes)', 'fromJSON(spaces)', 'fromJSON(repeat("[", 900))'),
  fromPairs: op('the elements', 'fromPairs(map(names, [#, 1]))', 'fromPairs([[s, 1], [other, 2]])', 'fromPairs(map(1..5000, [huge, 1]))'),
  get: op('the characters', 'get(wide, 1)', 'get(record, s + "a")', 'get(ints, 5)'),
  hasPrefix: op('both lengths', 'hasPrefix(s, same)'),
  hasSuffix: op('both lengths', 'hasSuffix(s, same)'),
  indexOf: op('both lengths', 'indexOf(s, needle)', 'indexOf(wide, "e")', 'indexOf(wide + "e", "e")'),
  int: op('the characters', 'int(digits)', 'int(digits[:18])'),
  join: op('the characters', 'join(names, s[:50])', 'join(names)', 'join(map(1..50, broken))'),
  keys: op('the elements', 'keys(record)', 'keys(groupBy(ints, #))'),
  last: op('the characters', 'last(wide)', 'last(ints)'),
  lastIndexOf: op('both lengths', 'lastIndexOf(s, needle)', 'lastIndexOf(s, other)'),
  len: op('the characters', 'len(wide)', 'len(s)'),
  lower: op('the characters', 'lower(wide)', 'lower(s)'),
  max: op('every part of the value', 'max(ints)', 'max(shared)', 'max(empties)', 'max(huge, precise)'),
  mean: op('every part of the value', 'mean(ints)', 'mean(shared)'),
  median: op('n log n comparisons', 'median(ints)', 'median(shared)'),
  min: op('every part of the value', 'min(ints)', 'min(empties)'),
  now: op('one step', 'now(timezone("Europe/Berlin")).Hour()'),
  refuse: op('one step', 'refuse(404, s)'),
  repeat: op('the characters', 'repeat("a", 1000000)', 'repeat(s, 3)'),
  replace: op('both lengths', 'replace(s, needle, "")', 'replace(s, "a", "b")', 'replace(s, "", "b")', 'replace(s, "a", "b", 100000)'),
  reverse: op('the elements', 'reverse(ints)'),
  round: op('one step', 'round(1.5)'),
  sort: op('n log n comparisons', 'sort(ints)', 'sort(texts)', 'sort(names)', 'sort(map(1..30, s + string(#)))'),
  split: op('both lengths', 'split(commas, ",")', 'split(s, needle)', 'split(wide, "")', 'split(commas, ",", 100000)'),
  splitAfter: op('both lengths', 'splitAfter(commas, ",")', 'splitAfter(wide, "")'),
  string: op(
    'every part of the value',
    'string(shared)',
    'string(maps)',
    'string(empties)',
    'string(record)',
    'string(huge)',
    'string(times)',
    'string(texts)',
    'string(ints)',
  ),
  take: op('the elements', 'take(ints, 100000)'),
  timezone: op('one step', 'timezone("Europe/Rome")', 'map(1..1000, timezone("X" + string(#)))'),
  toBase64: op('the characters', 'toBase64(s)', 'toBase64(broken)', 'toBase64(wide)'),
  toJSON: op(
    'every part of the value',
    'toJSON(shared)',
    'toJSON(maps)',
    'toJSON(empties)',
    'toJSON(record)',
    'toJSON(marks)',
    'toJSON(huge)',
    'toJSON(times)',
    'toJSON(texts)',
    'toJSON(ints)',
  ),
  toPairs: op('the elements', 'toPairs(record)'),
  trim: op('the characters', 'trim(spaces)', 'trim(wide, "é")', 'trim("a", s)'),
  trimPrefix: op('both lengths', 'trimPrefix(s, same)'),
  trimSuffix: op('both lengths', 'trimSuffix(s, same)'),
  type: op('one step', 'type(shared)'),
  uniq: op('every part of the value', 'uniq(ints)', 'uniq([shared, again])', 'uniq(texts)', 'uniq(map(ints, [#]))', 'uniq([maps, twins])'),
  upper: op('the characters', 'upper(wide)', 'upper(s)'),
  values: op('the elements', 'values(record)'),

  // Builtins with a predicate.
  all: op('the elements', 'all(ints, # > 0)', 'all(wide, true)'),
  any: op('the elements', 'any(ints, # < 0)'),
  count: op('the elements', 'count(ints, # > 5)'),
  filter: op('the elements', 'filter(ints, # > 5)', 'filter(texts, # == same)'),
  find: op('the elements', 'find(ints, # < 0)'),
  findIndex: op('the elements', 'findIndex(ints, # < 0)'),
  findLast: op('the elements', 'findLast(ints, # < 0)'),
  findLastIndex: op('the elements', 'findLastIndex(ints, # < 0)'),
  groupBy: op('the elements', 'groupBy(ints, #)', 'groupBy(texts, #)', 'groupBy(ints, huge * #)', 'groupBy(ints, precise)'),
  map: op('the elements', 'map(ints, #)', 'map(texts, len(#))', 'map(ints, shared)'),
  none: op('the elements', 'none(ints, # < 0)'),
  one: op('the elements', 'one(ints, # == 5)'),
  reduce: op('the elements', 'reduce(ints, #acc + #)', 'reduce(1..60, [#acc, #acc], 1)', 'reduce(ints, #acc + "ab", "")'),
  sortBy: op('n log n comparisons', 'sortBy(ints, -#)', 'sortBy(texts, #)', 'sortBy(ints, "desc")'),
  sum: op('the elements', 'sum(ints)', 'sum(ints, # * 2)'),

  // Methods, and results at the border of an expression.
  methods: op(
    'the characters',
    'date("2020-01-01").Format(s)',
    'now(timezone("Europe/Berlin")).Format(repeat("2006", 20000))',
    'map(times, .In(timezone("Europe/Berlin")).Hour())',
    'map(times, .IsDST())',
  ),
  result: op(
    'every part of the value',
    'let r = shared; [r]',
    '[maps]',
    'map(ints, ints)',
    '[empties]',
    'texts',
    'map(1..5000, texts)',
    '[times]',
  ),
};
