// The programs of the Lark benchmark, written as steps; `rows` is a list of 20,000 dicts. The
// recorded figures are milliseconds of starlark-go (Debian 0.0~git20210122, Go 1.19) for the same
// text, compiled once, best of nine runs on two cores.
export const PROGRAMS = [
  {
    name: 'loops',
    recorded: 238.9,
    source: `
def run():
    total = 0
    for i in range(1000000):
        if i % 3 == 0:
            total += i
        elif i % 5 == 0:
            total -= 1
    return total
result = run()
`,
  },
  {
    name: 'calls',
    recorded: 200.9,
    source: `
def add(a, b):
    return a + b
def twice(x):
    return add(x, x)
def run():
    total = 0
    for i in range(300000):
        total = add(total, twice(i))
    return total
result = run()
`,
  },
  {
    name: 'comprehensions',
    recorded: 44.1,
    source: `
def run():
    n = 0
    for _ in range(10):
        squares = [x * x for x in range(20000) if x % 2 == 0]
        pairs = {x: x + 1 for x in range(10000)}
        n += len(squares) + len(pairs)
    return n
result = run()
`,
  },
  {
    name: 'dict building',
    recorded: 129.7,
    source: `
def run():
    d = {}
    for i in range(100000):
        d["key" + str(i % 5000)] = i
    total = 0
    for k, v in d.items():
        total += v
    for i in range(100000):
        total += d.get("key" + str(i % 7000), 0)
    return total
result = run()
`,
  },
  {
    name: 'string building',
    recorded: 174.4,
    source: `
def run():
    parts = []
    text = ""
    for i in range(50000):
        parts.append("%d:%s" % (i, "x" * (i % 10)))
        if i % 10 == 0:
            text += "row {} of {};".format(i, 50000)
    joined = ",".join(parts)
    return len(joined) + len(text) + len(joined.replace("x", "yy").upper().split(","))
result = run()
`,
  },
  {
    name: 'sorting',
    recorded: 463.3,
    source: `
def run():
    numbers = [(i * 7919) % 100003 for i in range(50000)]
    names = ["n" + str(n) for n in numbers]
    pairs = [(n % 100, n) for n in numbers]
    a = sorted(numbers)
    b = sorted(names, reverse = True)
    c = sorted(pairs)
    d = sorted(numbers, key = lambda n: -n)
    return a[0] + len(b) + c[1][1] + d[0]
result = run()
`,
  },
  {
    name: 'grouping 20,000 rows',
    recorded: 38.5,
    source: `
def run():
    groups = {}
    for row in rows:
        key = row["country"]
        group = groups.get(key)
        if group == None:
            group = {"country": key, "count": 0, "total": 0, "names": []}
            groups[key] = group
        group["count"] += 1
        group["total"] += row["amount"]
        if row["active"]:
            group["names"].append(row["name"])
    return sorted([g["total"] for g in groups.values()])[0]
result = run()
`,
  },
];

/** The rows as plain data: id, name, country, amount, active. */
export function makeRows(count = 20000) {
  const rows = [];
  for (let id = 0; id < count; id++) {
    rows.push({ id, name: `name ${id}`, country: `c${(id * 31) % 97}`, amount: (id * 17) % 1000, active: id % 3 === 0 });
  }
  return rows;
}
