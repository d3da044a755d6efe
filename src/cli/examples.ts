/** The definitions of `examples/`: deployed by the demo through the service's own API, and how to call them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type Ids, withIdentifiers } from './definition-command.ts';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));
const TAKEN = 409;

/** Sends a YAML body; gives the status. */
export type SendYaml = (method: string, path: string, body: string) => Promise<{ readonly status: number; readonly message: string }>;

/** A second start finds them deployed, and leaves what was changed since as it is. */
export async function deployExamples(send: SendYaml, ids: Ids): Promise<void> {
  for (const file of filesOf('modules/', '.star')) {
    const { org_id, project_id, space_id, user_id } = ids;
    const module = { org_id, project_id, space_id, user_id, module: basename(file, '.star'), code: readFileSync(file, 'utf8') };
    check(await send('POST', 'code/v1/lark/', stringify(module)), file);
  }
  for (const file of filesOf('', '.yaml')) {
    const answer = await send('POST', 'rest/definition/v1', withIdentifiers(readFileSync(file, 'utf8'), ids));
    if (answer.status !== TAKEN) check(answer, file);
  }
}

function filesOf(folder: string, ending: string): readonly string[] {
  return readdirSync(FOLDER + folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => FOLDER + folder + name);
}

function check({ status, message }: { readonly status: number; readonly message: string }, file: string): void {
  if (status >= 300) throw new Error(`the example ${basename(file)} was refused: ${message}`);
}

interface Example {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
}

const EXAMPLES: readonly Example[] = [
  { what: 'a report (examples/sales-report.yaml)', path: 'reports/sales?from=2024-03-01&to=2024-06-30' },
  { what: 'a search with paging', path: 'products/search?q=lamp&limit=5&offset=0' },
  { what: 'an order: three writes in one transaction', path: 'orders', body: '{"customer_id": 7, "product_id": 12, "quantity": 1}' },
  { what: 'a transformation in Lark with a module', path: 'customers/summary?customer_id=7' },
  { what: 'an expression over rows, cached', path: 'stock/low?below=20' },
];

/** What to paste: a comment and a curl line each. */
export function exampleLines(base: string, context: string): readonly (readonly [what: string, line: string])[] {
  return EXAMPLES.map(({ what, path, body }) => {
    const sent = body === undefined ? '' : `-H 'Content-Type: application/json' -d '${body}' `;
    return [what, `curl -s ${context} ${sent}'${base}/${path}'`];
  });
}
