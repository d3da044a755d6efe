/** `millrace app …`: apps of a space, from files. */
import { ConfigError } from '../../config.ts';
import { type Client, readSource } from '../client/client.ts';
import type { Flags } from '../client/client-flags.ts';
import { describeProblems, type PlacedProblem, type SourceFile, withPath } from '../terminal/problems.ts';
import type { Subcommands } from './client.ts';

const PATH = 'app/v1';
const NAME = 'the name of the app';

interface Sent {
  readonly body: string;
  readonly type: string;
  readonly source: SourceFile;
}

/** JSON starts with a brace. YAML that starts with one is JSON as well. */
function sentFrom(file: string | undefined): Sent {
  const body = readSource(file);
  const type = body.trimStart().startsWith('{') ? 'application/json' : 'application/x-yaml';
  return { body, type, source: { file: file ?? '-', text: body } };
}

interface CheckAnswer {
  readonly valid: boolean;
  readonly problems: readonly PlacedProblem[];
}

/** Prints the result, each problem on its own line. */
async function checkFile(client: Client, flags: Flags): Promise<number> {
  const { source, ...sent } = sentFrom(flags.rest[0]);
  const response = await client.send('POST', `${PATH}/check`, sent);
  const text = await response.text();
  if (!response.ok) {
    process.stderr.write(`millrace: ${String((JSON.parse(text) as { message: unknown }).message)}\n`);
    return 1;
  }
  const { valid, problems } = JSON.parse(text) as CheckAnswer;
  process.stderr.write(describeProblems(source, problems.map(withPath)));
  process.stdout.write(`${text}\n`);
  return valid ? 0 : 1;
}

/** A public address contains the token, so it opens the app for all who have it. */
function addressOf(client: Client, flags: Flags): string {
  const app = flags.argument(0, NAME);
  if (!flags.has('public')) return client.address(`${PATH}/ui`, { app }).href;
  const pwt = client.setting('power_token');
  if (pwt === undefined) throw new ConfigError('--public needs a token of the key_type r--; give it with --token.');
  return client.address(`${PATH}/render`, { app, pwt }).href;
}

export const APP_COMMANDS: Subcommands = {
  check: {
    usage: 'check FILE',
    summary: 'report every problem that would prevent the deploy of an app',
    run: checkFile,
  },
  deploy: {
    usage: 'deploy FILE',
    summary: 'create or replace an app from a YAML or JSON file; - reads what comes in',
    run: (client, flags) => client.print('POST', PATH, sentFrom(flags.rest[0])),
  },
  list: {
    usage: 'list',
    summary: 'the apps of the space',
    run: (client) => client.list(`${PATH}/list`, { columns: ['app', 'title', 'updated_at'] }),
  },
  get: {
    usage: 'get NAME [--format yaml]',
    summary: 'one app; with yaml as it was written',
    values: ['format'],
    run: (client, flags) => client.print('GET', `${PATH}/detail`, { query: { app: flags.argument(0, NAME), format: flags.get('format') } }),
  },
  delete: {
    usage: 'delete NAME',
    summary: 'delete an app; its history is kept for 90 days',
    run: (client, flags) => client.print('DELETE', PATH, { query: { app: flags.argument(0, NAME) } }),
  },
  copy: {
    usage: 'copy NAME... --to SPACE [--force]',
    summary: 'copy apps to another space, all or none',
    values: ['to'],
    switches: ['force'],
    run: (client, flags) => {
      flags.argument(0, NAME);
      const body = { target_space_id: flags.required('to'), apps: flags.rest, force: flags.has('force') };
      return client.print('PUT', `${PATH}/space/copy`, { body: JSON.stringify(body) });
    },
  },
  history: {
    usage: 'history NAME',
    summary: 'what was stored under a name, newest first',
    run: (client, flags) =>
      client.list(`${PATH}/history`, {
        query: { app: flags.argument(0, NAME) },
        columns: ['at', 'action', 'user_id', 'revision_id'],
      }),
  },
  revert: {
    usage: 'revert NAME REVISION_ID',
    summary: 'store a document of the history again, also of a deleted app',
    run: (client, flags) =>
      client.print('PUT', `${PATH}/revert`, {
        query: { app: flags.argument(0, NAME), revision_id: flags.argument(1, 'the revision_id') },
      }),
  },
  open: {
    usage: 'open NAME [--public --token TOKEN]',
    summary: 'print the address of an app; a public one opens without a login',
    switches: ['public'],
    run: async (client, flags) => {
      process.stdout.write(`${addressOf(client, flags)}\n`);
      return 0;
    },
  },
};
