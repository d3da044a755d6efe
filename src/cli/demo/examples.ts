/**
 * Deploys the definitions, personas and apps of `examples/` through the service's own API, and
 * prints how to use them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { yaml } from '../../util/on-demand.ts';
import { type Ids, withIdentifiers } from '../client/identifiers.ts';
import { isTestFile } from '../testing/test-file.ts';
import { type DemoAnswer, type DemoClient, messageOf } from './demo-client.ts';

const FOLDER = fileURLToPath(new URL('../../../examples/', import.meta.url));
const YAML = 'application/x-yaml';
const DEFINITIONS = 'rest/definition/v1';
const MODULES = 'code/v1/lark';

/** Deploys missing definitions only, so changes made by users stay. */
export async function deployExamples(client: DemoClient, ids: Ids): Promise<void> {
  const modules = new Set((await listOf(client, MODULES, ids)).map(({ module }) => module));
  for (const file of filesOf('modules/', '.star')) {
    const { org_id, project_id, space_id, user_id } = ids;
    const module = basename(file, '.star');
    const body = yaml().stringify({ org_id, project_id, space_id, user_id, module, code: readFileSync(file, 'utf8') });
    if (!modules.has(module)) check(await client.request('POST', `${MODULES}/`, ids, { type: YAML, body }), file);
  }
  const nameOf = ({ method, uri, version }: Readonly<Record<string, unknown>>): string => `${method} ${uri} ${version}`;
  const deployed = new Set((await listOf(client, DEFINITIONS, ids)).map(nameOf));
  for (const file of filesOf('', '.yaml').filter((name) => !isTestFile(name))) {
    const source = readFileSync(file, 'utf8');
    const { http } = yaml().parse(source) as { http: Readonly<Record<string, unknown>> };
    const body = withIdentifiers(source, ids);
    if (!deployed.has(nameOf(http))) check(await client.request('POST', DEFINITIONS, ids, { type: YAML, body }), file);
  }
}

const PERSONAS = 'persona/v1';

/** Deploys missing personas into a space of their own, and returns its id. */
export async function deployPersonas(client: DemoClient, ids: Ids): Promise<string> {
  const project = await client.send('GET', `system/api/v1/project?project_id=${ids.project_id}`, ids);
  const spaces = project['spaces'] as readonly { readonly space_id: string; readonly name: string }[];
  const space_id = spaces.find(({ name }) => name === 'staging')?.space_id ?? '';
  const there = { ...ids, space_id };
  const known = new Set((await listOf(client, PERSONAS, there)).map(({ persona }) => persona));
  for (const file of filesOf('personas/', '.yaml')) {
    if (known.has(basename(file, '.yaml'))) continue;
    check(await client.request('POST', PERSONAS, there, { type: YAML, body: readFileSync(file, 'utf8') }), file);
  }
  return space_id;
}

const APPS = 'app/v1';
/** Apps in the order in which the start page lists them, with the inputs that they need. */
const LISTED_APPS: Readonly<Record<string, string>> = { 'sales-board': '', orders: '', order: '&id=3000' };

/** Deploys missing apps only, so changes made by users stay. */
export async function deployApps(client: DemoClient, ids: Ids): Promise<void> {
  const known = new Set((await listOf(client, APPS, ids)).map(({ app }) => app));
  for (const file of filesOf('apps/', '.yaml'))
    if (!known.has(basename(file, '.yaml')))
      check(await client.request('POST', APPS, ids, { type: YAML, body: readFileSync(file, 'utf8') }), file);
}

/** Addresses that open the apps. The token is in the fragment, which browsers do not send. */
export function appLinks(base: string, token: string): readonly string[] {
  return Object.entries(LISTED_APPS).map(([app, inputs]) => `${base}/${APPS}/ui?app=${app}${inputs}#token=${token}`);
}

async function listOf(client: DemoClient, path: string, ids: Ids): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const answer = await client.send('GET', `${path}/list`, ids);
  return answer as unknown as readonly Readonly<Record<string, unknown>>[];
}

function filesOf(folder: string, ending: string): readonly string[] {
  return readdirSync(FOLDER + folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => FOLDER + folder + name);
}

function check(answer: DemoAnswer, file: string): void {
  if (answer.status >= 300) throw new Error(`the example ${basename(file)} was refused: ${messageOf(answer)}`);
}

interface Example {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
}

const EXAMPLES: readonly Example[] = [
  { what: 'a report (examples/sales-report.yaml)', path: 'reports/sales?from=2024-03-01&to=2024-06-30' },
  { what: 'a search with paging', path: 'products/search?q=lamp&limit=5' },
  { what: 'an order: three writes in one transaction', path: 'orders', body: '{"customer_id": 7, "product_id": 12, "quantity": 1}' },
  { what: 'a transformation in Lark with a module', path: 'customers/7/summary' },
  { what: 'an expression over rows, cached', path: 'stock/low?below=20' },
];

/** A comment and a curl line for each example. */
export function exampleLines(base: string, context: string): readonly (readonly [what: string, line: string])[] {
  return EXAMPLES.map(({ what, path, body }) => {
    const sent = body === undefined ? '' : `-H 'Content-Type: application/json' -d '${body}' `;
    return [what, `curl -s ${context} ${sent}'${base}/${path}'`];
  });
}
