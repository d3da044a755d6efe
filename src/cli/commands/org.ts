/** `millrace org …`: organizations of a service. Requires the server key. */

import { confirmDeletion } from '../client/confirm.ts';
import type { Subcommands } from './client.ts';

const PATH = 'system/api/v1/org';
const WHICH = 'the organization (its id, abbreviation or name)';

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
  list: {
    usage: 'list',
    summary: 'all organizations',
    run: (client) => client.list(`${PATH}/list`, { columns: ['abbreviation', 'name', 'org_id', 'created_at'] }),
  },
  rename: {
    usage: 'rename ORG [--name NAME] [--abbreviation ABBREVIATION]',
    summary: 'change the name, or the abbreviation and with it the paths',
    values: ['name', 'abbreviation'],
    run: async (client, flags) => {
      const org = await client.find('org_id', flags.argument(0, WHICH));
      const body = JSON.stringify({ name: flags.get('name'), abbreviation: flags.get('abbreviation') });
      return client.print('PUT', PATH, { query: { org_id: org.id }, body });
    },
  },
  delete: {
    usage: 'delete ORG [--confirm ABBREVIATION]',
    summary: 'delete an organization that has no projects',
    values: ['confirm'],
    run: async (client, flags) => {
      const org = await client.find('org_id', flags.argument(0, WHICH));
      await confirmDeletion(flags, `the organization ${org.name}`, org.abbreviation);
      return client.print('DELETE', PATH, { query: { org_id: org.id } });
    },
  },
};
