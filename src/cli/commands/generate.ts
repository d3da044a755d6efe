/**
 * `millrace client`: writes the typed client of a running service, or checks whether the file is
 * current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type ApiDocument, writeClientTypes } from '../client/client-types.ts';
import type { Subcommands } from './client.ts';

export const GENERATE_COMMANDS: Subcommands = {
  generate: {
    usage: 'generate --out FILE [--db TYPE/NAME] [--check]',
    summary: 'write the types of all tables and endpoints; with --check, exit 1 when the file is old',
    values: ['out', 'db'],
    switches: ['check'],
    async run(client, flags) {
      const out = flags.required('out');
      const response = await client.send('GET', 'rest/openapi/v1', { query: { db: flags.get('db') } });
      const text = await response.text();
      if (!response.ok) throw new Error((JSON.parse(text) as { message: string }).message);
      const document = JSON.parse(text) as ApiDocument & { readonly 'x-unreachable': readonly string[] };
      const silent = document['x-unreachable'];
      if (silent.length > 0) throw new Error(`${silent.join(', ')} cannot be reached; nothing was written`);
      const [org = '', project = ''] = document.info.title.replace(/ .*/, '').split('/');
      const made = writeClientTypes(document, { prefix: client.setting('path_prefix') ?? 'svc', org, project });
      if (!flags.has('check')) {
        writeFileSync(out, made);
        process.stdout.write(`${out} is written.\n`);
        return 0;
      }
      const isCurrent = readIfThere(out) === made;
      process.stdout.write(isCurrent ? `${out} is up to date.\n` : `${out} is old; generate it anew.\n`);
      return isCurrent ? 0 : 1;
    },
  },
};

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
