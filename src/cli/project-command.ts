/** `millrace project …`: projects of a running service with their databases; needs its server key. */
import { parse } from 'yaml';
import { readSource } from './client.ts';
import type { Subcommands } from './client-command.ts';

const PATH = 'system/api/v1/project';

export const PROJECT_COMMANDS: Subcommands = {
  create: {
    usage: 'create ABBREVIATION --name NAME [--databases FILE]',
    summary: 'create a project; the file lists database entries in YAML or JSON',
    values: ['name', 'databases'],
    run: (client, flags) => {
      const abbreviation = flags.argument(0, 'the abbreviation');
      const file = flags.get('databases');
      const database: unknown = file === undefined ? [] : parse(readSource(file));
      return client.print('POST', PATH, { body: JSON.stringify({ name: flags.get('name') ?? abbreviation, abbreviation, database }) });
    },
  },
  list: { usage: 'list', summary: 'the projects of the organization', run: (client) => client.print('GET', `${PATH}/list`) },
};
