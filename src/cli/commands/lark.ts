/** `millrace lark put|list|get|delete`: Lark modules of a space. */
import { yaml } from '../../util/on-demand.ts';
import { readSource } from '../client/client.ts';
import type { Subcommands } from './client.ts';

const PATH = 'code/v1/lark';
/** Indentation of a block in the body. */
const INDENT = 2;

/** Place of the code in the body: in lines of its own, or behind its name. */
function beforeCode(body: string): { readonly lines: number; readonly columns: number } {
  const lines = body.split('\n');
  const at = lines.findIndex((line) => line.startsWith('code:'));
  if (/^code: [|>]/.test(lines[at] ?? '')) return { lines: at + 1, columns: INDENT };
  return { lines: at, columns: /^code: ["']?/.exec(lines[at] ?? '')?.[0].length ?? 0 };
}

export const LARK_COMMANDS: Subcommands = {
  put: {
    usage: 'put MODULE FILE',
    summary: 'store a module, or overwrite it',
    run: (client, flags) => {
      const ids = ['org_id', 'project_id', 'space_id', 'user_id'].map((name) => [name, client.setting(name) ?? '']);
      const module = flags.argument(0, 'the name of the module');
      const text = readSource(flags.rest[1]);
      const body = yaml().stringify({ ...Object.fromEntries(ids), module, code: text }, { lineWidth: 0 });
      const source = { file: flags.rest[1] ?? '-', text, before: beforeCode(body) };
      return client.print('POST', `${PATH}/`, { body, type: 'application/x-yaml', source });
    },
  },
  list: {
    usage: 'list',
    summary: 'the modules of the space',
    run: (client) => client.list(`${PATH}/list`, { columns: ['module', 'updated_at', 'user_id'] }),
  },
  get: {
    usage: 'get MODULE',
    summary: 'one module with its code',
    run: (client, flags) => client.print('GET', PATH, { query: { module: flags.argument(0, 'the name of the module') } }),
  },
  delete: {
    usage: 'delete MODULE [--force]',
    summary: 'delete a module that no definition loads, or any with --force',
    switches: ['force'],
    run: (client, flags) =>
      client.print('DELETE', PATH, {
        query: { module: flags.argument(0, 'the name of the module'), safe: flags.has('force') ? undefined : 'true' },
      }),
  },
};
