/** `millrace project …`: projects of a service with their databases. Requires the server key. */
import { yaml } from '../../util/on-demand.ts';
import { readSource } from '../client/client.ts';
import { confirmDeletion } from '../client/confirm.ts';
import type { Subcommands } from './client.ts';

const PATH = 'system/api/v1/project';
const WHICH = 'the project (its id, abbreviation or name)';

export const PROJECT_COMMANDS: Subcommands = {
  create: {
    usage: 'create ABBREVIATION --name NAME [--databases FILE]',
    summary: 'create a project; the file lists database entries in YAML or JSON',
    values: ['name', 'databases'],
    run: (client, flags) => {
      const abbreviation = flags.argument(0, 'the abbreviation');
      const file = flags.get('databases');
      const database: unknown = file === undefined ? [] : yaml().parse(readSource(file));
      return client.print('POST', PATH, { body: JSON.stringify({ name: flags.get('name') ?? abbreviation, abbreviation, database }) });
    },
  },
  list: {
    usage: 'list',
    summary: 'the projects of the organization',
    run: (client) => client.list(`${PATH}/list`, { columns: ['abbreviation', 'name', 'project_id', 'spaces', 'created_at'] }),
  },
  rename: {
    usage: 'rename PROJECT [--name NAME] [--abbreviation ABBREVIATION] [--description TEXT]',
    summary: 'change the name, or the abbreviation and with it the paths',
    values: ['name', 'abbreviation', 'description'],
    run: async (client, flags) => {
      const project = await client.find('project_id', flags.argument(0, WHICH));
      const body = { name: flags.get('name'), abbreviation: flags.get('abbreviation'), description: flags.get('description') };
      return client.print('PUT', PATH, { query: { project_id: project.id }, body: JSON.stringify(body) });
    },
  },
  delete: {
    usage: 'delete PROJECT [--confirm ABBREVIATION]',
    summary: 'delete a project with everything in it; its databases stay as they are',
    values: ['confirm'],
    run: async (client, flags) => {
      const project = await client.find('project_id', flags.argument(0, WHICH));
      await confirmDeletion(flags, `the project ${project.name} with its definitions, tokens, modules and personas`, project.abbreviation);
      return client.print('DELETE', PATH, { query: { project_id: project.id } });
    },
  },
};
