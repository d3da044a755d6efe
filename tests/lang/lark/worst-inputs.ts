/**
 * Every operation of Lark with what it charges, and the inputs for which it takes longest. A test
 * runs each of them and checks that the run ends soon after its time limit.
 */

/** Measure that the steps of an operation are proportional to. */
type Charge =
  | 'one step'
  | 'its arguments'
  | 'the elements'
  | 'the characters'
  | 'the bits'
  | 'both lengths'
  | 'n log n comparisons'
  | 'every part of the value'
  | 'the calls';

interface Operation {
  readonly charges: Charge;
  /** Expressions or statements over the names of SETUP. */
  readonly worst: readonly string[];
}

const op = (charges: Charge, ...worst: readonly string[]): Operation => ({ charges, worst });

/**
 * Long strings that share their memory, ints of 60,000 bits, large tables, and values whose parts
 * are shared, so that they are exponentially larger when they are visited.
 */
export const SETUP = `
n = 200000
s = "a" * 500000
other = "a" * 499999 + "b"
wide = "é" * 200000
marks = '"' * 200000
needle = "a" * 1000 + "b" + "a" * 1000
slices = [s[i:] for i in range(5000)]
equals = [s[:400000] + str(i) for i in range(30)]
wides = [wide + str(i) for i in range(30)]
half = "é"[0]
broken = half * 200000
lines = "\\n" * 300000
commas = "," * 300000
spaces = " " * 300000
digits = "9" * 60000
braces = "{}" * 50000
percents = "%%" * 100000
data = bytes(s)
invalid = bytes(s)[:0] + b"\\xff" * 200000
huge = 3
for _ in range(15):
    huge = huge * huge
root = huge >> 26000
longs = [i << 64 for i in range(20000)]
ints = list(range(n))
pairs = [(i, str(i)) for i in range(20000)]
names = ["k%d" % i for i in range(20000)]
mixed = list(names)
mixed.append("é")
table = {i: i for i in ints}
record = {name: 1 for name in names}
items = set(ints)
texts = {s[:20000] + other[-i:]: i for i in range(1, 300)}
tuples = (1,)
for _ in range(60):
    tuples = (tuples, tuples)
again = (1,)
for _ in range(60):
    again = (again, again)
lists = [1]
for _ in range(60):
    lists = [lists, lists]
copies = [1]
for _ in range(60):
    copies = [copies, copies]
empties = []
for _ in range(60):
    empties = [empties, empties]
dicts = {"a": 1}
for _ in range(60):
    dicts = {"a": dicts, "b": dicts}
twins = {"a": 1}
for _ in range(60):
    twins = {"a": twins, "b": twins}
structs = struct(a = 1)
for _ in range(60):
    structs = struct(a = structs, b = structs)
fields = struct(a = 1)
for _ in range(60):
    fields = struct(a = fields, b = fields)
bag = struct(**record)
document = "[" + "1," * 100000 + "1]"
escapes = '"' + "\\\\n" * 100000 + '"'
now = time.from_timestamp(0).in_location("Europe/Berlin")
hour = time.hour
layout = "x" * 200000
def same(x):
    return x
def takes(*args, **kwargs):
    return 0
`;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  // Operators.
  '+': op('its arguments', 's + s', 'ints + ints', 'data + data', 'tuple(ints) + tuple(ints)', 'huge + huge', 'half + s', 'bag + bag'),
  '-': op('its arguments', 'huge - 1', 'items - items', 'now - now', 'set(longs) - items'),
  '*': op('its arguments', 'root * root', 's * 2', '[1] * 100000', 'b"x" * 1000000', 'hour * 1000'),
  '/': op('the bits', '(1 << 500) / (1 << 400)', 'hour / hour'),
  '//': op('the bits', 'huge // (huge >> 300)', '-huge // (1 << 500)'),
  '%': op('its arguments', 'huge % (huge >> 300)', 'percents % ()', '"%s" % tuples', '"%d" % huge', '"%c" % s[:1]', '"%r" % marks'),
  '|': op('its arguments', 'items | items', 'table | table', 'huge | 1'),
  '&': op('its arguments', 'items & items', 'huge & huge'),
  '^': op('its arguments', 'items ^ items', 'huge ^ huge'),
  '<<': op('the bits', 'huge >> 60000 << 500'),
  '>>': op('the bits', 'huge >> 5'),
  '==': op(
    'every part of the value',
    's == slices[0] + "a"',
    'tuples == again',
    'lists == copies',
    'dicts == twins',
    'structs == fields',
    'data == data',
    'items == items',
    'other == s',
    'bag == struct(**record)',
  ),
  '!=': op('every part of the value', 'tuples != again', 'lists != copies', 'dicts != twins'),
  '<': op(
    'every part of the value',
    's < other',
    'tuples < again',
    'lists < copies',
    'data < data',
    'items < items',
    'wides[0] < wides[1]',
  ),
  '<=': op('every part of the value', 'tuples <= again', 's <= other', 'items <= items'),
  '>': op('every part of the value', 'tuples > again', 's > other'),
  '>=': op('every part of the value', 'tuples >= again', 's >= other'),
  in: op(
    'both lengths',
    'needle in s',
    '"b" in s',
    'tuples in [again] * 100',
    'tuples in table',
    'n in ints',
    'data[:5000] in data',
    'huge in range(10)',
    'half in wide',
  ),
  'not in': op('both lengths', 'needle not in s', 'tuples not in table'),
  'unary -': op('the bits', '-huge', '~huge'),
  'x[i]': op('its arguments', 'wide[1]', '[w[1] for w in wides]', 'table[5]', '{tuples: 1}', '{huge: 1}', 'texts.get(s[:20000] + "b")'),
  'x[i] = v': op('its arguments', 'table[tuples] = 1', 'ints[5] = 1', 'table[huge] = 1'),
  'x[i:j]': op('the characters', 'wide[1:]', 's[1:]', 's[::2]', 'ints[1:]', 'ints[::-1]', 'data[::2]', '[w[1:300] for w in wides]'),
  'x += y': op('its arguments', 'copied = list(ints); copied += ints'),
  'a, b = x': op('the elements', 'a, b = [ints, ints]', 'a, b = items if len(items) == 2 else (1, 2)'),
  for: op('the elements', 'for x in ints: pass', 'for x in s.elems(): pass', 'for x in table: pass'),
  comprehension: op('the elements', '[x for x in ints]', '{x: x for x in ints}', '{x: 1 for x in longs}', '[1 for x in wide.codepoints()]'),
  call: op('its arguments', 'takes(*ints)', 'takes(**record)', 'takes(*ints, **record)'),
  literal: op('its arguments', '{tuples: 1}', '{structs: 1}', '[tuples, tuples]'),

  // Functions.
  abs: op('the bits', 'abs(-huge)'),
  all: op('the elements', 'all(ints)', 'all([1] * 100000)', 'all(items)'),
  any: op('the elements', 'any([0] * 100000)'),
  bool: op('one step', 'bool(ints)', 'bool(tuples)'),
  bytes: op('the characters', 'bytes(s)', 'bytes(wide)', 'bytes([1] * 100000)'),
  chr: op('one step', 'chr(0x10ffff)'),
  dict: op('the elements', 'dict(table)', 'dict(pairs)', 'dict(**record)', 'dict([(tuples, 1)])', 'dict([(x, 1) for x in longs])'),
  dir: op('n log n comparisons', 'dir(bag)', 'dir(s)'),
  enumerate: op('the elements', 'enumerate(ints)'),
  fail: op('every part of the value', 'fail(tuples)', 'fail(marks)'),
  float: op('the characters', 'float(digits[:300])', 'float("1" * 300 + "." + "0" * 100000)'),
  getattr: op('its arguments', 'getattr(now, "year")', 'getattr(bag, "k1")', 'getattr(bag, "k" * 100000, 1)'),
  hasattr: op('its arguments', 'hasattr(now, "year")', 'hasattr(bag, s)'),
  hash: op('the characters', 'hash(s)', 'hash(wide)', 'hash(data)'),
  int: op('the characters', 'int(digits)', 'int("6" * 60000, 7)', 'int("-" + digits)', 'int(1e300)'),
  len: op('the characters', 'len(wide)', '[len(w) for w in wides]', 'len(broken)'),
  list: op('the elements', 'list(ints)', 'list(s.elems())', 'list(table)'),
  max: op('every part of the value', 'max(ints)', 'max([tuples, again])', 'max(slices[:50])', 'max(ints, key = same)'),
  min: op('every part of the value', 'min(slices[:50])', 'min([lists, copies])'),
  ord: op('the characters', 'ord("é")'),
  print: op('every part of the value', 'print(s)', 'print(tuples)', 'print(wide, marks)', 'print(invalid)', 'print(slices)'),
  range: op('one step', 'range(1 << 50)'),
  refuse: op('one step', 'refuse(404, s)'),
  repr: op(
    'every part of the value',
    'repr(tuples)',
    'repr(empties)',
    'repr(dicts)',
    'repr(structs)',
    'repr(marks)',
    'repr(wide)',
    'repr(huge)',
    'repr(invalid)',
    'repr(s.elems())',
    'repr(bag)',
    'repr(slices)',
    'repr(now)',
  ),
  reversed: op('the elements', 'reversed(ints)'),
  set: op(
    'the elements',
    'set(ints)',
    'set([tuples])',
    'set(longs)',
    'set([s[:20000 - i] + other[-i:] for i in range(1, 300)])',
    'set(equals)',
    'set([structs])',
    'set([0.5, huge])',
  ),
  sorted: op(
    'n log n comparisons',
    'sorted(slices)',
    'sorted(equals)',
    'sorted(wides)',
    'sorted([tuples, again, tuples])',
    'sorted([lists, copies])',
    'sorted(names)',
    'sorted(mixed)',
    'sorted(ints, key = same)',
    'sorted(slices, key = same)',
    'sorted(pairs)',
    'sorted([(x, 1) for x in slices])',
    'sorted([0.5] + ints)',
    'sorted(ints, reverse = True)',
  ),
  str: op('every part of the value', 'str(tuples)', 'str(huge)', 'str(data)', 'str(invalid)', 'str(empties)', 'str(longs)', 'str(slices)'),
  struct: op('its arguments', 'struct(**record)'),
  tuple: op('the elements', 'tuple(ints)'),
  type: op('one step', 'type(tuples)'),
  zip: op('the elements', 'zip(ints, ints)', 'zip(*[ints] * 100)'),

  // Methods.
  'bytes.elems': op('the elements', 'list(data.elems())'),
  'dict.clear': op('one step', 'dict(table).clear()'),
  'dict.get': op('every part of the value', 'table.get(tuples)', 'table.get(structs)', 'table.get(huge)', 'texts.get(s[:20001])'),
  'dict.items': op('the elements', 'table.items()'),
  'dict.keys': op('the elements', 'table.keys()'),
  'dict.pop': op('every part of the value', 'table.pop(tuples, 1)', 'table.pop(huge, 1)'),
  'dict.popitem': op('one step', 'table.popitem()'),
  'dict.setdefault': op('every part of the value', 'table.setdefault(5, 1)', 'dict().setdefault(tuples, 1)'),
  'dict.update': op('the elements', 'dict().update(table)', 'dict().update(pairs)', 'dict().update([(tuples, 1)])'),
  'dict.values': op('the elements', 'table.values()'),
  'list.append': op('one step', '[].append(tuples)'),
  'list.clear': op('one step', 'list(ints).clear()'),
  'list.extend': op('the elements', '[].extend(ints)'),
  'list.index': op('every part of the value', 'ints.index(-1 + len(ints))', '[tuples, again].index(again)', '[1, lists].index(copies)'),
  'list.insert': op('the elements', 'ints.insert(0, 1)'),
  'list.pop': op('the elements', 'ints.pop(0)'),
  'list.remove': op('every part of the value', '[1, lists].remove(copies)', 'ints.remove(ints[0])'),
  'set.add': op('every part of the value', 'set().add(tuples)', 'set().add(huge)'),
  'set.clear': op('one step', 'set(ints).clear()'),
  'set.difference': op('the elements', 'items.difference(items)', 'items.difference([tuples])', 'items.difference(longs)'),
  'set.discard': op('every part of the value', 'items.discard(tuples)'),
  'set.intersection': op('the elements', 'items.intersection(items)'),
  'set.issubset': op('the elements', 'items.issubset(ints)', 'items.issubset(items)'),
  'set.issuperset': op('the elements', 'items.issuperset(ints)', 'items.issuperset([tuples])'),
  'set.pop': op('one step', 'items.pop()'),
  'set.remove': op('every part of the value', 'items.remove(tuples)'),
  'set.symmetric_difference': op('the elements', 'items.symmetric_difference(longs)'),
  'set.union': op('the elements', 'items.union(ints, longs)', 'items.union([tuples])'),
  'set.update': op('the elements', 'set().update(ints, longs)'),
  'string.capitalize': op('the characters', 'wide.capitalize()', 's.capitalize()'),
  'string.codepoint_ords': op('the elements', 'list(wide.codepoint_ords())'),
  'string.codepoints': op('the elements', 'list(wide.codepoints())', 'str(wide.codepoints())'),
  'string.count': op('both lengths', 's.count(needle)', 's.count("a")', 's.count("")', 's.count("aa" * 1000)'),
  'string.elem_ords': op('the elements', 'list(wide.elem_ords())'),
  'string.elems': op('the elements', 'list(wide.elems())', '[w.elems() for w in wides]'),
  'string.endswith': op('both lengths', 's.endswith(tuple(slices))', 'wide.endswith(wide)'),
  'string.find': op('both lengths', 's.find(needle)', 's.find("b" + s[:1000])', 'wide.find(wides[0])', 's.find("b")'),
  'string.format': op(
    'every part of the value',
    'braces.format(*ints)',
    '("{{" * 100000).format()',
    '"{}".format(tuples)',
    '("{k1}" * 1000).format(**record)',
    '"{!r}".format(marks)',
  ),
  'string.index': op('both lengths', 's.index(s[5:])', '(s + needle).index(needle)'),
  'string.isalnum': op('the characters', 's.isalnum()', 'wide.isalnum()'),
  'string.isalpha': op('the characters', 's.isalpha()', 'wide.isalpha()'),
  'string.isdigit': op('the characters', 'digits.isdigit()'),
  'string.islower': op('the characters', 'wide.islower()', 's.islower()'),
  'string.isspace': op('the characters', 'spaces.isspace()'),
  'string.istitle': op('the characters', 's.istitle()', '("Aa " * 100000).istitle()', '("Éé " * 50000).istitle()'),
  'string.isupper': op('the characters', 'wide.isupper()', '("ß" * 100000).isupper()'),
  'string.join': op('the characters', '"".join(slices[:3])', 's.join(names[:3])', '",".join(names)', 'half.join(names)'),
  'string.lower': op('the characters', 'wide.lower()', 's.lower()'),
  'string.lstrip': op('the characters', 'spaces.lstrip()', 's.lstrip("a")', '"a".lstrip(s)'),
  'string.partition': op('both lengths', 's.partition(needle)', 's.partition("b" + s[:1000])'),
  'string.removeprefix': op('both lengths', 's.removeprefix(s)', 'wide.removeprefix(half)'),
  'string.removesuffix': op('both lengths', 's.removesuffix(s)', 'wide.removesuffix(half)'),
  'string.replace': op(
    'both lengths',
    's.replace(needle, "")',
    's.replace("a", "b")',
    's.replace("", "b")',
    's.replace("a", "b", 100000)',
    'wide.replace(half, "")',
    's.replace("aa" * 1000, "b")',
  ),
  'string.rfind': op('both lengths', 's.rfind(needle)', 's.rfind(s[:1000] + "b")', 's.rfind("b")'),
  'string.rindex': op('both lengths', '(needle + s).rindex(needle)'),
  'string.rpartition': op('both lengths', 's.rpartition(s[:1000] + "b")'),
  'string.rsplit': op(
    'both lengths',
    'commas.rsplit(",")',
    's.rsplit(needle)',
    '("a " * 100000).rsplit(None, 50000)',
    'commas.rsplit(",", 5)',
  ),
  'string.rstrip': op('the characters', 'spaces.rstrip()', 'wide.rstrip("é")'),
  'string.split': op(
    'both lengths',
    'commas.split(",")',
    's.split(needle)',
    '("a " * 100000).split()',
    '("a " * 100000).split(None, 50000)',
    'spaces.split()',
    'wide.split(half)',
    's.split("aa" * 1000)',
  ),
  'string.splitlines': op('the characters', 'lines.splitlines()', 'lines.splitlines(True)'),
  'string.startswith': op('both lengths', 's.startswith(tuple(slices))', 'wide.startswith(wides[0])'),
  'string.strip': op('the characters', 'spaces.strip()', 'wide.strip("é")', '"x".strip(wide)'),
  'string.title': op('the characters', 's.title()', 'wide.title()', '("a " * 100000).title()'),
  'string.upper': op('the characters', 'wide.upper()', '("ß" * 100000).upper()'),

  // Modules.
  'json.decode': op(
    'the characters',
    'json.decode(document)',
    'json.decode(escapes)',
    'json.decode(spaces + "x", None)',
    'json.decode("[" + digits[:19000] + "]")',
    'json.decode("[" * 399 + "]" * 399)',
  ),
  'json.encode': op(
    'every part of the value',
    'json.encode(tuples)',
    'json.encode(empties)',
    'json.encode(dicts)',
    'json.encode(structs)',
    'json.encode(record)',
    'json.encode(marks)',
    'json.encode(huge)',
    'json.encode(slices)',
    'json.encode(bag)',
  ),
  'json.encode_indent': op(
    'every part of the value',
    'json.encode_indent(tuples)',
    'json.encode_indent(ints)',
    'json.encode_indent(empties)',
  ),
  'json.indent': op('the characters', 'json.indent(document)', 'json.indent(escapes)', 'json.indent("[" + "[]," * 50000 + "[]]")'),
  ...Object.fromEntries(
    'acos acosh asin asinh atan atanh ceil cos cosh degrees exp fabs floor gamma log radians round sin sinh sqrt tan tanh'
      .split(' ')
      .map((name) => [`math.${name}`, op('one step', `math.${name}(1)`, 'math.ceil(1e300)')]),
  ),
  ...Object.fromEntries(
    ['atan2', 'copysign', 'hypot', 'mod', 'pow', 'remainder'].map((name) => [`math.${name}`, op('one step', `math.${name}(1e300, 3)`)]),
  ),
  'time.from_timestamp': op('one step', 'time.from_timestamp(1 << 40)'),
  'time.is_valid_timezone': op(
    'one step',
    'time.is_valid_timezone("Europe/Rome")',
    '[time.is_valid_timezone("X%d" % i) for i in range(1000)]',
  ),
  'time.now': op('one step', 'time.now()'),
  'time.parse_duration': op('the characters', 'time.parse_duration("1s" * 499)'),
  'time.parse_time': op(
    'the characters',
    'time.parse_time("2020-01-01T00:00:00Z")',
    'time.parse_time(layout, layout)',
    'time.parse_time("2020-01-01T00:00:00Z", location = "Europe/Berlin")',
  ),
  'time.time': op('one step', 'time.time(year = 2020, location = "Europe/Berlin")'),
  'time.attributes': op('one step', 'now.year', 'now.hour', 'hour.seconds', 'now.unix_nano'),
  'time.format': op('the characters', 'now.format(layout)', 'now.format("2006" * 10000)', 'now.format("." + "0" * 100000)'),
  'time.in_location': op('one step', 'now.in_location("Asia/Tokyo").hour'),

  // Conversions at the border of a program.
  result: op(
    'every part of the value',
    'result(tuples)',
    'result(lists)',
    'result(dicts)',
    'result(structs)',
    'result(slices)',
    'result(table)',
    'result(ints)',
    'result(huge)',
    'result([s] * 50000)',
  ),
};
