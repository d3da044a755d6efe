// Real database engines for tests, on private ports and folders:
//   node scripts/engines.mjs install [names...]           fills the cache
//   node scripts/engines.mjs start [names...] [--run ID]  starts engines that are down and prints
//                                                         the variables that name them, for `eval`
//   node scripts/engines.mjs kill names... [--run ID]     kills them; `start` restores their data
//   node scripts/engines.mjs stop [--run ID]              stops the run and removes its data
// The default run belongs to this checkout. A run with --owner stops once that process has ended
// and another run starts.
import { createHash } from 'node:crypto';
import { engineNames, installEngines, killEngines, startEngines, stopEngines } from './engines/runs.mjs';

const usage = `usage: node scripts/engines.mjs install|start|kill|stop [${engineNames.join('|')}]... [--run ID] [--owner PID]`;

function parse(argv) {
  const [command, ...rest] = argv;
  const names = [];
  let id = `checkout-${createHash('sha256')
    .update(import.meta.url)
    .digest('hex')
    .slice(0, 8)}`;
  let owner;
  for (let index = 0; index < rest.length; index++) {
    if (rest[index] === '--run') id = rest[++index];
    else if (rest[index] === '--owner') owner = Number(rest[++index]);
    else names.push(rest[index]);
  }
  if (!id || !/^[\w-]+$/.test(id) || names.some((name) => !engineNames.includes(name))) throw new Error(usage);
  return { command, id, owner, ...(names.length > 0 && { names }) };
}

const commands = {
  install: ({ names }) => installEngines(names),
  start: async ({ id, names, owner }) => {
    const variables = await startEngines({ id, names, owner });
    for (const [name, value] of Object.entries(variables)) process.stdout.write(`export ${name}='${value}'\n`);
  },
  kill: ({ id, names }) => killEngines(id, names),
  stop: async ({ id }) => {
    if (!(await stopEngines(id))) process.stderr.write(`no run ${id}\n`);
  },
};

try {
  const request = parse(process.argv.slice(2));
  const command = commands[request.command];
  if (!command) throw new Error(usage);
  await command(request);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
