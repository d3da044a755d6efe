/** Programs that need too many resources, with the budget that must end each of them. */
import type { BudgetKind } from '../../../src/lang/budget.ts';

export interface Bomb {
  readonly name: string;
  readonly source: string;
  /** Expected end without a time limit: a budget, a compile error, or an error of the language. */
  readonly ends: Exclude<BudgetKind, 'time'> | 'compile' | 'error';
}

const deep = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);

export const BOMBS: readonly Bomb[] = [
  { name: 'string doubling', source: 's = "x"\nfor _ in range(100):\n    s += s\nresult = len(s)', ends: 'memory' },
  { name: 'string repetition', source: 'result = "x" * (1 << 29)', ends: 'memory' },
  { name: 'repetition beyond everything', source: 'result = "x" * (1 << 62)', ends: 'error' },
  { name: 'list doubling', source: 'x = [0]\nfor _ in range(100):\n    x = x + x\nresult = len(x)', ends: 'memory' },
  { name: 'list extended by itself', source: 'x = [0]\nfor _ in range(100):\n    x.extend(x)\nresult = len(x)', ends: 'memory' },
  { name: 'list repetition', source: 'result = [[]] * (1 << 28)', ends: 'memory' },
  { name: 'tuple repetition', source: 'result = (1, 2, 3) * 100000000', ends: 'memory' },
  { name: 'bytes repetition', source: 'result = b"x" * (1 << 29)', ends: 'memory' },
  { name: 'list of a huge range', source: 'result = list(range(1 << 40))', ends: 'memory' },
  { name: 'sorted huge range', source: 'result = sorted(range(1 << 30))', ends: 'memory' },
  { name: 'reversed huge range', source: 'result = reversed(range(1 << 30))', ends: 'memory' },
  { name: 'set of a huge range', source: 'result = len(set(range(1 << 30)))', ends: 'memory' },
  { name: 'enumerate a huge range', source: 'result = len(enumerate(range(1 << 30)))', ends: 'memory' },
  { name: 'zip of huge ranges', source: 'result = len(zip(range(1 << 30), range(1 << 30)))', ends: 'memory' },
  { name: 'sum by max over a huge range', source: 'result = max(range(1 << 40))', ends: 'memory' },
  {
    name: 'spread of a huge range',
    source: 'def f(*a):\n    return len(a)\nresult = f(*range(1 << 30))',
    ends: 'memory',
  },
  { name: 'endless loop', source: 'for i in range(1 << 50):\n    pass', ends: 'steps' },
  {
    name: 'nested loops',
    source:
      'def f():\n    for a in range(10000):\n        for b in range(10000):\n            for c in range(10000):\n                pass\nf()',
    ends: 'steps',
  },
  {
    name: 'nested comprehensions',
    source: 'result = [a * b * c for a in range(1000) for b in range(1000) for c in range(1000)]',
    ends: 'memory',
  },
  { name: 'comprehension without elements', source: 'result = [x for x in range(1 << 50) if False]', ends: 'steps' },
  { name: 'dict comprehension', source: 'result = {x: x for x in range(1 << 40)}', ends: 'memory' },
  { name: 'dict union', source: 'd = {i: i for i in range(1000)}\nfor i in range(1 << 30):\n    d = d | {i: i}', ends: 'memory' },
  { name: 'giant int by squaring', source: 'x = 3\nfor _ in range(100):\n    x = x * x\nresult = x', ends: 'memory' },
  { name: 'giant int by shifting', source: 'x = 1\nfor _ in range(1000):\n    x = x << 500\nresult = x', ends: 'memory' },
  {
    name: 'many long multiplications',
    source: 'x = (1 << 500) - 1\nfor _ in range(6):\n    x = x * x\nfor _ in range(1 << 30):\n    y = x * 3',
    ends: 'memory',
  },
  { name: 'int from a long text', source: 'result = int("9" * 10000000)', ends: 'error' },
  { name: 'recursion', source: 'def f(n):\n    return f(n + 1)\nresult = f(0)', ends: 'error' },
  {
    name: 'recursion by the Y combinator',
    source: 'Y = lambda f: (lambda x: x(x))(lambda y: f(lambda *args: y(y)(*args)))\nresult = Y(lambda g: lambda n: g(n + 1))(0)',
    ends: 'error',
  },
  {
    name: 'chain of closures',
    source: 'def wrap(f):\n    return lambda: f()\nf = lambda: 0\nfor _ in range(100000):\n    f = wrap(f)\nresult = f()',
    ends: 'error',
  },
  { name: 'deep parentheses', source: `result = ${deep('(', ')', 50_000)}`, ends: 'compile' },
  { name: 'deep lists', source: `result = ${deep('[', ']', 50_000)}`, ends: 'compile' },
  { name: 'long chain of operators', source: `result = ${Array(50_000).fill('1').join('+')}`, ends: 'compile' },
  { name: 'long chain of not', source: `result = ${'not '.repeat(50_000)}1`, ends: 'compile' },
  { name: 'deep data written out', source: 'x = []\nfor _ in range(100000):\n    x = [x]\nresult = str(x)', ends: 'depth' },
  {
    name: 'deep data compared',
    source: 'x = []\ny = []\nfor _ in range(100000):\n    x = [x]\n    y = [y]\nresult = x == y',
    ends: 'error',
  },
  { name: 'deep data as the result', source: 'x = []\nfor _ in range(100000):\n    x = [x]\nresult = x', ends: 'depth' },
  { name: 'deep tuple as a key', source: 'x = ()\nfor _ in range(100000):\n    x = (x,)\nresult = {x: 1}', ends: 'error' },
  { name: 'json depth', source: 'result = json.decode("[" * 100000 + "]" * 100000)', ends: 'depth' },
  { name: 'json of deep data', source: 'x = []\nfor _ in range(100000):\n    x = [x]\nresult = json.encode(x)', ends: 'depth' },
  { name: 'json indented', source: 'result = json.indent("[" + "1," * 100000 + "1]", indent = " " * 100000)', ends: 'memory' },
  { name: 'cyclic data as the result', source: 'x = []\nx.append(x)\nresult = x', ends: 'depth' },
  {
    name: 'exponential comparison',
    source: 'a = [1]\nb = [1]\nfor _ in range(60):\n    a = [a, a]\n    b = [b, b]\nresult = a == b',
    ends: 'steps',
  },
  {
    name: 'exponential text',
    source: 'a = ["x"]\nfor _ in range(60):\n    a = [a, a]\nresult = str(a)',
    ends: 'memory',
  },
  {
    name: 'exponential json',
    source: 'a = ["x"]\nfor _ in range(60):\n    a = [a, a]\nresult = json.encode(a)',
    ends: 'memory',
  },
  { name: 'exponential result', source: 'a = ["x"]\nfor _ in range(60):\n    a = [a, a]\nresult = a', ends: 'memory' },
  {
    name: 'sort with a hostile key',
    source: 'def key(x):\n    for _ in range(1 << 40):\n        pass\n    return x\nresult = sorted([3, 2, 1], key = key)',
    ends: 'steps',
  },
  {
    name: 'sort of hostile elements',
    source: 'big = list(range(100000))\nresult = sorted([big + [i % 3] for i in range(100)])',
    ends: 'memory',
  },
  {
    name: 'replace that grows',
    source: 's = "a" * 10000\nfor _ in range(10):\n    s = s.replace("a", "a" * 1000)\nresult = len(s)',
    ends: 'memory',
  },
  { name: 'replace of nothing', source: 's = "a" * 1000000\nresult = len(s.replace("", "x" * 1000))', ends: 'memory' },
  { name: 'join that grows', source: 'l = ["x" * 1000] * 1000\ns = ("y" * 100000).join(l)\nresult = len(s)', ends: 'memory' },
  { name: 'format that grows', source: 's = "x" * 1000000\nresult = len(("%s" * 100) % tuple([s] * 100))', ends: 'memory' },
  { name: 'braces that grow', source: 's = "x" * 1000000\nresult = len(("{0}" * 1000).format(s))', ends: 'memory' },
  { name: 'split into many', source: 'l = []\nfor _ in range(1000):\n    l.append(("a," * 100000).split(","))', ends: 'memory' },
  {
    name: 'elements of a long string',
    source: 's = "x" * 1000000\nl = []\nfor _ in range(1000):\n    l.append(list(s.elems()))',
    ends: 'memory',
  },
  {
    name: 'growing dict',
    source: 'x = {}\nfor i in range(1 << 40):\n    x[i] = "value %d" % i',
    ends: 'memory',
  },
  { name: 'search in a long string', source: 's = "a" * 1000000\nfor _ in range(1 << 30):\n    x = "b" in s', ends: 'steps' },
  {
    name: 'prepending with a cut character about',
    source: 'c = "é"[0]\ns = ""\nfor _ in range(1 << 30):\n    s = "x" + s\n    n = len(s)',
    ends: 'steps',
  },
  {
    name: 'positions in many long strings by turns',
    source: 'l = ["é" * 1000000 + str(i) for i in range(8)]\nfor i in range(1 << 30):\n    c = l[i % 8][i % 1000]',
    ends: 'steps',
  },
  {
    name: 'sort of long strings beyond the BMP',
    source: 'l = ["😀" * 100 + str(i) for i in range(10000)]\nfor _ in range(1 << 30):\n    x = sorted(l)',
    ends: 'steps',
  },
  { name: 'letters of a long string', source: 's = "ß" * 1000000\nfor _ in range(1 << 30):\n    x = s.upper()', ends: 'steps' },
  { name: 'exponential key', source: 't = (1,)\nfor _ in range(60):\n    t = (t, t)\nresult = len({t: 1})', ends: 'memory' },
  { name: 'exponential element', source: 't = (1,)\nfor _ in range(60):\n    t = (t, t)\nresult = len(set([t]))', ends: 'memory' },
  {
    name: 'exponential struct as a key',
    source: 's = struct(a = 1)\nfor _ in range(60):\n    s = struct(a = s, b = s)\nresult = len({s: 1})',
    ends: 'memory',
  },
  {
    name: 'exponential comparison of structs',
    source:
      'a = struct(x = 1)\nb = struct(x = 1)\nfor _ in range(60):\n    a = struct(x = a, y = a)\n    b = struct(x = b, y = b)\nresult = a == b',
    ends: 'steps',
  },
  {
    name: 'digits of long ints',
    source: 'x = 3\nfor _ in range(15):\n    x = x * x\nfor _ in range(1 << 30):\n    n = len(str(x))',
    ends: 'steps',
  },
  {
    name: 'ints that the engine hashes alike',
    source: 'd = {}\nfor i in range(1 << 30):\n    d[i << 64] = 1\nresult = len(d)',
    ends: 'memory',
  },
  {
    name: 'sort of strings with a long common prefix',
    source: 's = "a" * 400000\nresult = len(sorted([s[i:] for i in range(10000)]))',
    ends: 'steps',
  },
  {
    name: 'search that the engine is slow at',
    source: 's = "a" * 1000000\nn = "a" * 1000 + "b" + "a" * 1000\nfor _ in range(1 << 30):\n    x = n in s',
    ends: 'steps',
  },
  {
    name: 'layout of a time',
    source: 't = time.from_timestamp(0)\ns = "x" * 1000000\nfor _ in range(1 << 30):\n    x = t.format(s)',
    ends: 'steps',
  },
  { name: 'a string many times in the result', source: 's = "x" * 1000000\nresult = [s] * 100000', ends: 'memory' },
];
