/** The first steps with a service. Each is done when what it leads to is there. */
import { type Exact, type ExactObject, isObject } from '../../../ui/exact.ts';
import { context, maySystem } from '../../api/context.ts';
import { identity } from '../../api/identity.ts';
import { getJson, serviceUrl } from '../../api/request.ts';
import type { Context, TableItem } from '../../api/types.ts';
import { addressOf } from '../../app/router.ts';
import { quoteShell } from '../../parts/quote-shell.ts';
import { baseRoot } from '../../root.ts';
import { readDocument } from '../endpoints/definitions-api.ts';
import { curlOf } from '../endpoints/editor/curl.ts';

export interface DefinitionItem {
  readonly definition_id: string;
  readonly uri: string;
  readonly method: string;
  readonly version: string;
  readonly default?: boolean;
  readonly summary?: string | null;
  readonly last_failure?: { readonly time: string; readonly message?: string } | null;
}

export interface Step {
  readonly name: 'rows' | 'endpoint' | 'database' | 'token';
  readonly title: string;
  readonly text: string;
  readonly href: string;
  readonly isDone: boolean;
  /** The same over HTTP. */
  readonly curl: string;
}

export interface Overview {
  readonly steps: readonly Step[];
  readonly failed: readonly DefinitionItem[];
}

const curl = (url: URL, more = ''): string => {
  const token = identity.current.value.kind === 'token' ? ' -H "Authorization: Bearer $MILLRACE_TOKEN"' : '';
  return `curl -s${token}${more} ${quoteShell(url.href)}`;
};

async function firstTable(here: Context, signal: AbortSignal): Promise<{ ref: string; table: string } | undefined> {
  const [database] = here.databases;
  if (database === undefined || !here.may.read) return undefined;
  const query = { type: database.db_type, schema: database.name };
  try {
    const tables = await getJson<readonly TableItem[]>('rest/meta/v1/table/list', { query, signal, asPersona: true });
    const table = tables.find(({ operations }) => operations === undefined || operations.includes('read'));
    return table && { ref: database.ref, table: table.table };
  } catch {
    // A database that cannot be reached is reported where its tables are shown.
    return undefined;
  }
}

/** Number of tokens that people made: those of the console and of the demo do not count. */
async function ownTokens(signal: AbortSignal): Promise<number> {
  if (!maySystem.value) return 0;
  const query = { pg: '0', ps: '50' };
  const list = await getJson<readonly { name: string }[]>('system/api/v1/token/list', { query, signal });
  return list.filter(({ name }) => !/^(?:console|demo|apps)\b/.test(name)).length;
}

export async function readOverview(signal: AbortSignal): Promise<Overview> {
  const here = context.value;
  if (here === undefined) return { steps: [], failed: [] };
  const [table, definitions, tokens] = await Promise.all([
    firstTable(here, signal),
    here.may.read ? getJson<readonly DefinitionItem[]>('rest/definition/v1/list', { signal }) : [],
    ownTokens(signal),
  ]);
  const shown = easiest(definitions);
  const step = endpointStep(here, shown, shown === undefined ? {} : await readExamples(shown));
  const steps = [rowsStep(here, table), step, databaseStep(here), tokenStep(here, tokens)];
  return { steps: steps.filter((step) => step !== undefined), failed: definitions.filter(({ last_failure }) => last_failure != null) };
}

function rowsStep({ org, project, may }: Context, table: { ref: string; table: string } | undefined): Step | undefined {
  if (!may.read) return undefined;
  const [type = '', name = ''] = table?.ref.split('/') ?? [];
  const segments = table === undefined ? ['data'] : ['data', type, name, table.table];
  const path = ['api/rest/auto/v1', org.abbreviation, project.abbreviation, type, name, table?.table ?? 'table'].map(encodePath).join('/');
  return {
    name: 'rows',
    title: table === undefined ? 'See rows' : `See the rows of ${table.table}`,
    text: 'Every table of a registered database has its endpoints. Nothing was written for them.',
    href: addressOf(segments),
    isDone: table !== undefined,
    curl: curl(serviceUrl(path, 'pg=0&ps=20')),
  };
}

const encodePath = (segment: string): string => (segment.includes('/') ? segment : encodeURIComponent(segment));

/** The endpoint that is tried first: a GET without values in its path, if there is one. */
function easiest(definitions: readonly DefinitionItem[]): DefinitionItem | undefined {
  const isPlain = ({ method, uri }: DefinitionItem): boolean => method === 'get' && !uri.includes('{');
  return definitions.find((item) => item.default === true && isPlain(item)) ?? definitions[0];
}

/** The examples of required inputs. Empty if the caller may not read the definition. */
async function readExamples({ definition_id }: DefinitionItem): Promise<ExactObject> {
  try {
    const { input } = await readDocument(definition_id);
    if (!isObject(input)) return {};
    const examples = Object.entries(input).flatMap(([name, declared]): (readonly [string, Exact])[] => {
      if (!isObject(declared) || declared['required'] !== true || declared['example'] === undefined) return [];
      return [[name, declared['example']]];
    });
    return Object.fromEntries(examples);
  } catch {
    return {};
  }
}

function endpointStep({ org, project, may }: Context, shown: DefinitionItem | undefined, input: ExactObject): Step | undefined {
  if (!may.read) return undefined;
  const href =
    shown === undefined
      ? addressOf(['endpoints', ...(may.author ? ['new'] : [])])
      : addressOf(['endpoints', shown.method, ...shown.uri.split('/')], `?version=${encodeURIComponent(shown.version)}&try`);
  return {
    name: 'endpoint',
    title: shown === undefined ? 'Write an endpoint' : `Try the endpoint ${shown.uri}`,
    text: 'An endpoint is a YAML document with steps in SQL, Starlark and expr. Try shows what each step does.',
    href,
    isDone: shown !== undefined,
    curl: endpointCurl(new URL(`${org.abbreviation}/${project.abbreviation}/`, baseRoot), shown, input),
  };
}

function endpointCurl({ href: base }: URL, shown: DefinitionItem | undefined, input: ExactObject): string {
  if (shown === undefined) return curl(new URL('uri', base));
  const { uri, method } = shown;
  return curlOf({ base, uri, method, version: undefined, input });
}

function databaseStep({ org, project, databases, may }: Context): Step | undefined {
  if (!may.system) return undefined;
  // The demo's own database is not one of the user.
  const isOwn = (ref: string): boolean => !(project.abbreviation === 'shop' && ref === 'pg/shop');
  return {
    name: 'database',
    title: 'Register your own database',
    text: 'MySQL, MariaDB, PostgreSQL or ClickHouse. The connection can be tested before it is stored.',
    href: addressOf(['setup', org.org_id, project.project_id]),
    isDone: databases.some(({ ref }) => isOwn(ref)),
    curl: curl(serviceUrl('system/api/v1/project/database'), ` -H 'content-type: application/json' -d @database.json`),
  };
}

function tokenStep({ may }: Context, tokens: number): Step | undefined {
  if (!may.system) return undefined;
  const body = '{"name": "my-program", "key_type": "r--", "roles": ["reader"]}';
  return {
    name: 'token',
    title: 'Create a token for a program',
    text: 'A token has roles, a type of access, and an end. Its value is shown once.',
    href: addressOf(['tokens']),
    isDone: tokens > 0,
    curl: curl(serviceUrl('system/api/v1/token'), ` -H 'content-type: application/json' -d ${quoteShell(body)}`),
  };
}
