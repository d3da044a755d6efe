/**
 * The commands of `millrace` by name, which `--help` lists. Loading a service takes most of a
 * second, so only the commands that start one load it.
 */
import { ConfigError, describeConfig, loadConfig } from '../../config.ts';
import { newUlid } from '../../model/ulid.ts';
import { VERSION } from '../../version.ts';
import { CLIENT_FLAGS, CLIENT_SWITCHES } from '../client/client.ts';
import { contextCommand, loginCommand } from '../client/context.ts';
import { type CompletedCommand, completionCommand } from '../terminal/completion.ts';
import { APP_COMMANDS } from './app.ts';
import { AUDIT_COMMAND } from './audit.ts';
import { runSubcommand, type Subcommands } from './client.ts';
import { DATABASE_COMMANDS } from './database.ts';
import { DEFINITION_COMMANDS } from './definition.ts';
import { GENERATE_COMMANDS } from './generate.ts';
import { LARK_COMMANDS } from './lark.ts';
import { ORG_COMMANDS } from './org.ts';
import { PERSONA_COMMANDS } from './persona.ts';
import { PROJECT_COMMANDS } from './project.ts';
import { TABLE_COMMANDS } from './table.ts';
import { TEST_COMMAND } from './test.ts';
import { TOKEN_COMMANDS } from './token.ts';

export interface CliCommand {
  readonly usage: string;
  readonly summary: string;
  /** Flags of a command without subcommands, or its subcommands with their flags. */
  readonly flags?: readonly string[];
  readonly subcommands?: Subcommands;
  readonly words?: readonly string[];
  /** Returns the exit code, or `undefined` for a server that keeps running. */
  run(args: readonly string[]): Promise<number | undefined>;
}

/** A client command whose subcommands are in the table. */
function remote(name: string, table: Subcommands, summary: string): CliCommand {
  return {
    usage: `${name} ${Object.keys(table).join('|')} …`,
    summary,
    subcommands: table,
    run: (args) => runSubcommand(name, table, args),
  };
}

const COMMANDS: Readonly<Record<string, CliCommand>> = {
  serve: {
    usage: 'serve',
    summary: 'serve requests with the settings in force',
    run: async () => (await import('../serve/serve.ts')).serve(loadConfig().config),
  },
  start: {
    usage: 'start [DATABASE_URL]',
    summary: 'serve with embedded defaults, a demo database, and a database of yours beside it (what npm start does)',
    run: async (args) => (await import('../demo/start.ts')).startDemo(args),
  },
  config: {
    usage: 'config',
    summary: 'print the settings in force, secrets masked',
    async run() {
      process.stdout.write(describeConfig(loadConfig()));
      return 0;
    },
  },
  ulid: {
    usage: 'ulid',
    summary: 'print a new ULID',
    async run() {
      process.stdout.write(`${newUlid()}\n`);
      return 0;
    },
  },
  rewrap: {
    usage: 'rewrap',
    summary: 'encrypt stored passwords anew with the first encryption key',
    run: async () => (await import('./rewrap.ts')).rewrapCommand(loadConfig().config),
  },
  backup: {
    usage: 'backup FILE [--force]',
    summary: 'write all records of the store into a file, also while the service runs; - is stdout',
    flags: ['force'],
    run: async (args) => (await import('./backup.ts')).backupCommand(args),
  },
  restore: {
    usage: 'restore FILE [--force]',
    summary: 'make a backup the store; the service must be stopped; - is stdin',
    flags: ['force'],
    run: async (args) => (await import('./backup.ts')).restoreCommand(args),
  },
  lark: {
    usage: 'lark [FILE] | put|list|get|delete …',
    summary: 'run a Lark file or try lines at a prompt; or manage the modules of a running service',
    subcommands: LARK_COMMANDS,
    async run(args) {
      const [first = ''] = args;
      if (isHelp(first)) process.stdout.write('  millrace lark [FILE]  run a Lark file, or try lines at a prompt\n');
      return isHelp(first) || Object.hasOwn(LARK_COMMANDS, first)
        ? runSubcommand('lark', LARK_COMMANDS, args)
        : (await import('./languages.ts')).larkCommand(args);
    },
  },
  expr: {
    usage: "expr 'EXPRESSION' [--env FILE]",
    summary: 'evaluate an expression over a JSON environment',
    flags: ['env'],
    run: async (args) => (await import('./languages.ts')).exprCommand(args),
  },
  login: { usage: 'login', summary: 'use the demo of npm start for the commands below', run: loginCommand },
  context: {
    usage: 'context use|show|clear …',
    summary: 'keep the address and the ids for the commands below',
    words: ['use', 'show', 'clear'],
    run: contextCommand,
  },
  completion: {
    usage: 'completion bash|zsh|fish',
    summary: 'a script that makes the shell complete commands and flags',
    words: ['bash', 'zsh', 'fish'],
    run: (args) => completionCommand(args, completed()),
  },
  client: remote('client', GENERATE_COMMANDS, 'the typed client of a running service'),
  definition: remote('definition', DEFINITION_COMMANDS, 'definitions of a running service'),
  app: remote('app', APP_COMMANDS, 'apps of a running service: pages of charts, tables and forms'),
  test: { ...TEST_COMMAND, flags: ['only', 'tap', 'junit', ...CLIENT_FLAGS] },
  audit: AUDIT_COMMAND,
  persona: remote('persona', PERSONA_COMMANDS, 'personas of a running service: who may do what'),
  token: remote('token', TOKEN_COMMANDS, 'Power Tokens of a running service'),
  org: remote('org', ORG_COMMANDS, 'organizations of a running service'),
  project: remote('project', PROJECT_COMMANDS, 'projects of a running service'),
  database: remote('database', DATABASE_COMMANDS, 'databases of a project of a running service'),
  table: remote('table', TABLE_COMMANDS, 'tables of a registered database, and their rows'),
};

/** Commands whose help has more than one line. */
const OWN_HELP = new Set(['context', 'login', 'test']);

/** All commands, for shell completion. */
function completed(): readonly CompletedCommand[] {
  return Object.entries(COMMANDS).map(([name, { summary, flags = [], words = [], subcommands = {} }]) => ({
    name,
    summary,
    flags: name === 'context' ? CLIENT_FLAGS : flags,
    subcommands: [
      ...words.map((word) => ({ name: word, summary: '', flags: name === 'context' ? CLIENT_FLAGS : [] })),
      ...Object.entries(subcommands).map(([verb, { summary: what, values = [], switches = [] }]) => ({
        name: verb,
        summary: what,
        flags: [...values, ...switches, ...CLIENT_SWITCHES, ...CLIENT_FLAGS],
      })),
    ],
  }));
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

function help(): string {
  const width = Math.max(...Object.values(COMMANDS).map(({ usage }) => usage.length));
  const lines = Object.values(COMMANDS).map(({ usage, summary }) => `  millrace ${usage.padEnd(width)}  ${summary}`);
  return `Millrace ${VERSION}: databases as REST.\n\n${lines.join('\n')}\n\nSettings: docs/reference/configuration.md\n`;
}

export async function runCommand(args: readonly string[]): Promise<number | undefined> {
  const [name = '--help', ...rest] = args;
  if (isHelp(name) || name === 'help') {
    process.stdout.write(help());
    return 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`millrace: there is no command ${JSON.stringify(name)}; millrace --help lists them.\n`);
    return 2;
  }
  if (command.subcommands === undefined && rest.some(isHelp) && !OWN_HELP.has(name)) {
    process.stdout.write(`  millrace ${command.usage}  ${command.summary}\n`);
    return 0;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    process.stderr.write(`millrace: ${sentenceOf(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

/** The error and its cause as one line. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`.replaceAll('\n', ' ');
}
