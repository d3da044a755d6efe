// The command line of the benchmark.
export const ENGINES = ['pg', 'ms', 'ma', 'ch'];

export const USAGE = `npm run bench -- [options]
  --engine pg,ms,ma,ch     engines to measure (all)
  --scenario name,name     scenarios to run (all); --list names them
  --quick                  3 rounds and small sets instead of 4 rounds
  --rounds n --seconds s   number of rounds (4) and their length (1)
  --thousand               includes 1,000 databases, which adds eight minutes
  --connections n          connections of the load generator (32)
  --workers n              MILLRACE_WORKERS of the service (1)
  --prof                   the service writes a CPU profile into the results
  --list                   names the scenarios and ends
A whole run, of all engines and scenarios, writes docs/performance-results.md; other runs do not.`;

const flags = {
  '--quick': 'quick',
  '--thousand': 'thousand',
  '--list': 'list',
  '--prof': 'prof',
  '--help': 'help',
};
const values = {
  '--engine': { key: 'engines', read: list },
  '--scenario': { key: 'scenarios', read: list },
  '--rounds': { key: 'rounds', read: count },
  '--seconds': { key: 'seconds', read: count },
  '--connections': { key: 'connections', read: count },
  '--workers': { key: 'workers', read: count },
};

function list(text) {
  return text.split(',').filter((word) => word !== '');
}

function count(text) {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`"${text}" is not a number above 0`);
  return number;
}

export function readOptions(argv) {
  const given = {};
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i];
    if (flags[word]) given[flags[word]] = true;
    else if (values[word] && argv[i + 1] !== undefined) given[values[word].key] = values[word].read(argv[++i]);
    else throw new Error(`unknown option ${word}\n${USAGE}`);
  }
  const isWhole = !given.engines && !given.scenarios && !given.quick;
  const options = { engines: ENGINES, connections: 32, workers: 1, rounds: given.quick ? 3 : 4, seconds: 1, isWhole, ...given };
  const unknown = options.engines.find((engine) => !ENGINES.includes(engine));
  if (unknown) throw new Error(`unknown engine ${unknown}; known are ${ENGINES.join(', ')}`);
  return options;
}
