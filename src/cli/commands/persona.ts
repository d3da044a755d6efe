/** `millrace persona …`: personas of a space, and the caller's own rights. */
import { readSource } from '../client/client.ts';
import type { Subcommands } from './client.ts';

const PATH = 'persona/v1';
const NAME = 'the name of the persona';

/** JSON starts with a brace. YAML that starts with one is JSON as well. */
function typeOf(text: string): string {
  return text.trimStart().startsWith('{') ? 'application/json' : 'application/x-yaml';
}

export const PERSONA_COMMANDS: Subcommands = {
  put: {
    usage: 'put FILE',
    summary: 'create or replace a persona from a YAML or JSON file; - reads what comes in',
    run: (client, flags) => {
      const body = readSource(flags.rest[0]);
      const source = { file: flags.rest[0] ?? '-', text: body };
      return client.print('POST', PATH, { body, type: typeOf(body), source });
    },
  },
  list: {
    usage: 'list',
    summary: 'the personas of the space, in the order in which they come to force',
    run: (client) => client.list(`${PATH}/list`, { columns: ['persona', 'rank', 'roles', 'about', 'updated_at'] }),
  },
  get: {
    usage: 'get NAME [--format json|yaml]',
    summary: 'one persona as it was written',
    values: ['format'],
    run: (client, flags) => client.print('GET', PATH, { query: { persona: flags.argument(0, NAME), format: flags.get('format') } }),
  },
  delete: {
    usage: 'delete NAME',
    summary: 'delete a persona; with the last one the space is open again',
    run: (client, flags) => client.print('DELETE', PATH, { query: { persona: flags.argument(0, NAME) } }),
  },
  copy: {
    usage: 'copy NAME... --to SPACE_ID',
    summary: 'copy personas to another space, all or none',
    values: ['to'],
    run: (client, flags) => {
      flags.argument(0, NAME);
      const body = { target_space_id: flags.required('to'), personas: flags.rest };
      return client.print('PUT', `${PATH}/space/copy`, { body: JSON.stringify(body) });
    },
  },
  me: {
    usage: 'me [--roles a,b] [--persona NAME] [--claims JSON]',
    summary: 'as whom one acts, and what that grants',
    run: (client) => client.print('GET', `${PATH}/me`),
  },
};
