/** `millrace database …`: databases of a project, given as URLs. Requires the server key. */

import { entryFromUrl } from '../demo/database-url.ts';
import type { Subcommand, Subcommands } from './client.ts';

const PATH = 'system/api/v1/project/database';

function sends(method: 'POST' | 'PUT', verb: string, summary: string): Subcommand {
  return {
    usage: `${verb} URL [--alias NAME] [--spaces dev,staging] [--tls MODE] [--read-only]`,
    summary,
    values: ['tls', 'alias', 'spaces'],
    switches: ['read-only'],
    run: async (client, flags) => {
      const { ENGINES } = await import('../../engines/index.ts');
      const entry = entryFromUrl(flags.argument(0, "the database's URL"), ENGINES);
      const [tls, alias, spaces] = ['tls', 'alias', 'spaces'].map((name) => flags.get(name));
      const body = {
        ...entry,
        ...(tls === undefined ? {} : { tls }),
        ...(alias === undefined ? {} : { alias }),
        ...(spaces === undefined ? {} : { spaces: spaces.split(',').map((name) => name.trim()) }),
        ...(flags.has('read-only') ? { read_only: true } : {}),
      };
      return client.print(method, PATH, { body: JSON.stringify(body) });
    },
  };
}

function named(method: 'GET' | 'DELETE', path: string, usage: string, summary: string, values: readonly string[] = []): Subcommand {
  return {
    usage,
    summary,
    values,
    run: (client, flags) =>
      client.print(method, path, {
        query: {
          type: flags.argument(0, 'the type'),
          name: flags.argument(1, 'the name'),
          project_id: client.setting('project_id'),
          space: flags.get('space'),
        },
      }),
  };
}

/** Columns of a listed entry. */
const COLUMNS = ['db_type', 'db_name', 'alias', 'spaces', 'host_details', 'username', 'tls', 'read_only', 'error'];

export const DATABASE_COMMANDS: Subcommands = {
  list: {
    usage: 'list',
    summary: 'the registered databases of the project',
    run: (client) =>
      client.list('system/api/v1/project', {
        query: { project_id: client.setting('project_id') },
        columns: COLUMNS,
        rows: (answer) => (answer as { databases: readonly Record<string, unknown>[] }).databases,
      }),
  },
  add: sends('POST', 'add', 'register a database'),
  change: sends('PUT', 'change', 'replace the entry of the same type, name and spaces'),
  remove: named('DELETE', PATH, 'remove TYPE NAME [--space SPACE]', 'remove an entry; the database itself stays as it is', ['space']),
  test: named('GET', `${PATH}/test`, 'test TYPE NAME', 'try an entry, and say what is wrong with it'),
};
