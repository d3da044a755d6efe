/**
 * `millrace token …`: Power Tokens of a service. Requires the server key, or a token with the role
 * admin.
 */
import { ConfigError } from '../../config.ts';
import type { Subcommands } from './client.ts';

const PATH = 'system/api/v1/token';

function claimsOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw new ConfigError('--token-claims is not JSON.');
  }
}

export const TOKEN_COMMANDS: Subcommands = {
  create: {
    usage:
      'create NAME --key-type rwd --token-roles a,b [--description TEXT] [--expires-at TIME] [--token-persona NAME] [--token-claims JSON]',
    summary: 'create a token; it is shown this once',
    values: ['key-type', 'token-roles', 'description', 'expires-at', 'token-persona', 'token-claims'],
    run: (client, flags) => {
      const body = {
        name: flags.argument(0, 'the name'),
        key_type: flags.required('key-type'),
        roles: flags.required('token-roles'),
        description: flags.get('description'),
        expires_at: flags.get('expires-at'),
        persona: flags.get('token-persona'),
        claims: claimsOf(flags.get('token-claims')),
      };
      return client.print('POST', PATH, { body: JSON.stringify(body) });
    },
  },
  list: {
    usage: 'list [--page 0] [--page-size 100]',
    summary: 'the tokens of the project',
    values: ['page', 'page-size'],
    run: (client, flags) =>
      client.list(`${PATH}/list`, {
        query: { pg: flags.get('page') ?? '0', ps: flags.get('page-size') ?? '100' },
        columns: ['name', 'key_type', 'roles', 'user_id', 'expires_at', 'token_id'],
      }),
  },
  delete: {
    usage: 'delete TOKEN_ID',
    summary: 'delete a token',
    run: (client, flags) => client.print('DELETE', PATH, { query: { token_id: flags.argument(0, 'the token_id') } }),
  },
};
