/** `millrace org …`: organizations of a running service; needs its server key. */
import type { Subcommands } from './client-command.ts';

const PATH = 'system/api/v1/org';

export const ORG_COMMANDS: Subcommands = {
  create: {
    usage: 'create ABBREVIATION --name NAME',
    summary: 'create an organization',
    values: ['name'],
    run: (client, flags) => {
      const abbreviation = flags.argument(0, 'the abbreviation');
      return client.print('POST', PATH, { body: JSON.stringify({ name: flags.get('name') ?? abbreviation, abbreviation }) });
    },
  },
  list: { usage: 'list', summary: 'all organizations', run: (client) => client.print('GET', `${PATH}/list`) },
};
