/** `millrace database …`: databases of a project of a running service, given as URLs; needs the server key. */
import { ENGINES } from '../engines/index.ts';
import type { Subcommand, Subcommands } from './client-command.ts';
import { entryFromUrl } from './database-url.ts';

const PATH = 'system/api/v1/project/database';

function sends(method: 'POST' | 'PUT', verb: string, summary: string): Subcommand {
  return {
    usage: `${verb} URL [--tls MODE] [--read-only]`,
    summary,
    values: ['tls'],
    switches: ['read-only'],
    run: (client, flags) => {
      const entry = entryFromUrl(flags.argument(0, "the database's URL"), ENGINES);
      const tls = flags.get('tls');
      const body = { ...entry, ...(tls === undefined ? {} : { tls }), ...(flags.has('read-only') ? { read_only: true } : {}) };
      return client.print(method, PATH, { body: JSON.stringify(body) });
    },
  };
}

function named(method: 'GET' | 'DELETE', path: string, verb: string, summary: string): Subcommand {
  return {
    usage: `${verb} TYPE NAME`,
    summary,
    run: (client, flags) =>
      client.print(method, path, {
        query: { type: flags.argument(0, 'the type'), name: flags.argument(1, 'the name'), project_id: client.setting('project_id') },
      }),
  };
}

export const DATABASE_COMMANDS: Subcommands = {
  add: sends('POST', 'add', 'register a database'),
  change: sends('PUT', 'change', 'replace the entry of the same type and name'),
  remove: named('DELETE', PATH, 'remove', 'remove an entry; the database itself stays as it is'),
  test: named('GET', `${PATH}/test`, 'test', 'try an entry, and say what is wrong with it'),
};
