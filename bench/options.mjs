// The command line of the benchmark. Refuses to know what a scenario does: it only checks that the words are known.
export const ENGINES = ['pg', 'ms', 'ma', 'ch'];

export const USAGE = `npm run bench -- [options]
  --engine pg,ms,ma,ch     engines to measure (all)
  --scenario name,name     scenarios to run (all); --list names them
  --quick                  3 rounds of 1 s and small sets instead of 7 rounds of 2 s
  --rounds n --seconds s   as said
  --connections n          connections of the load generator (32)
  --workers n              MILLRACE_WORKERS of the service (1)
  --node-http              the service on node:http instead of its own server, to compare the two
  --prof                   the service writes a CPU profile into the results
  --write-docs             puts the tables and the plot of this run into docs/performance.md
  --list                   names the scenarios and ends`;

const flags = {
  '--quick': 'quick',
  '--write-docs': 'writeDocs',
  '--list': 'list',
  '--prof': 'prof',
  '--node-http': 'nodeHttp',
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
  if (!(number > 0)) throw new Error(`"${text}" is no number above 0`);
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
  const defaults = given.quick ? { rounds: 3, seconds: 1 } : { rounds: 7, seconds: 2 };
  const options = { engines: ENGINES, connections: 32, workers: 1, ...defaults, ...given };
  const unknown = options.engines.find((engine) => !ENGINES.includes(engine));
  if (unknown) throw new Error(`unknown engine ${unknown}; known are ${ENGINES.join(', ')}`);
  return options;
}
