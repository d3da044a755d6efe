/** A command with subcommands, each with its usage, flags and request. */
import { ConfigError } from '../../config.ts';
import { CLIENT_FLAGS, CLIENT_SWITCHES, Client } from '../client/client.ts';
import { Flags } from '../client/client-flags.ts';

export interface Subcommand {
  readonly usage: string;
  readonly summary: string;
  readonly values?: readonly string[];
  readonly switches?: readonly string[];
  run(client: Client, flags: Flags): Promise<number>;
}

export type Subcommands = Readonly<Record<string, Subcommand>>;

export async function runSubcommand(name: string, table: Subcommands, args: readonly string[]): Promise<number> {
  const [verb = '--help', ...rest] = args;
  if (verb === '--help' || verb === '-h') {
    process.stdout.write(help(name, table));
    return 0;
  }
  const subcommand = Object.hasOwn(table, verb) ? table[verb] : undefined;
  if (subcommand === undefined)
    throw new ConfigError(`${name} has no command ${JSON.stringify(verb)}; use one of ${Object.keys(table).join(', ')}.`);
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(help(name, { [verb]: subcommand }));
    return 0;
  }
  const flags = new Flags(rest, {
    values: [...CLIENT_FLAGS, ...(subcommand.values ?? [])],
    switches: [...CLIENT_SWITCHES, ...(subcommand.switches ?? [])],
  });
  const client = new Client(flags);
  await client.resolveNames();
  return subcommand.run(client, flags);
}

function help(name: string, table: Subcommands): string {
  const width = Math.max(...Object.values(table).map(({ usage }) => usage.length));
  const lines = Object.values(table).map(({ usage, summary }) => `  millrace ${name} ${usage.padEnd(width)}  ${summary}`);
  const flags = CLIENT_FLAGS.map((flag) => `--${flag}`).join(' ');
  return `${lines.join('\n')}\n\nLists are tables on a terminal and JSON elsewhere; --json and --table say which.\nWhere and who, also from the environment (MILLRACE_URL, MILLRACE_ORG_ID …) or millrace.yaml:\n  ${flags}\n`;
}
