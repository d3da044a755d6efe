/** `millrace definition diff` and `copy`: promote definitions from one space to the next. */
import { ConfigError } from '../../config.ts';
import { parseUlid } from '../../model/ulid.ts';
import type { Client, ClientRequest } from '../client/client.ts';
import type { Flags } from '../client/client-flags.ts';
import type { Subcommands } from './client.ts';

const PATH = 'rest/definition/v1';
const WHAT = 'DEFINITION...|--all --to SPACE [--version VERSION] [--modules]';
const VALUES = ['to', 'version'];
const SWITCHES = ['all', 'modules', 'no-prepare'];

interface Listed {
  readonly definition_id: string;
  readonly uri: string;
  readonly method: string;
  readonly version: string;
}

/** `get:reports/sales`, with `@1.0.0` for a version other than the highest. */
const NAME = /^([a-z]+):([^@]+)(?:@(.+))?$/;

/** Definitions are ordered by uri, method and version, so the last match is the highest version. */
function named(listed: readonly Listed[], text: string): Listed | undefined {
  const [, method, uri, version] = NAME.exec(text) ?? [];
  return listed.findLast((one) =>
    method === undefined
      ? one.definition_id === parseUlid(text)
      : one.method === method && one.uri === uri && (version === undefined || one.version === version),
  );
}

function highest(listed: readonly Listed[]): readonly Listed[] {
  return [...new Map(listed.map((one) => [`${one.method}:${one.uri}`, one])).values()];
}

async function chosen(client: Client, flags: Flags): Promise<readonly Listed[]> {
  if (!flags.has('all')) flags.argument(0, 'the definition (its id, or METHOD:URI)');
  else if (flags.rest.length > 0) throw new ConfigError('give definitions or --all, not both.');
  const response = await client.send('GET', `${PATH}/list`);
  const answer = (await response.json()) as unknown;
  if (!response.ok) throw new Error(String((answer as { message?: unknown }).message));
  const listed = answer as readonly Listed[];
  if (flags.has('all') && listed.length === 0) throw new Error('the space has no definitions.');
  if (flags.has('all')) return highest(listed);
  return flags.rest.map((text) => {
    const found = named(listed, text);
    if (found === undefined) throw new Error(`there is no definition ${JSON.stringify(text)} in the space; definition list shows them.`);
    return found;
  });
}

/** Definitions by the version that they have in the target: without --version, their own. */
function byVersion(flags: Flags, definitions: readonly Listed[]): ReadonlyMap<string, readonly Listed[]> {
  const groups = new Map<string, Listed[]>();
  for (const definition of definitions) {
    const version = flags.get('version') ?? definition.version;
    const group = groups.get(version);
    if (group === undefined) groups.set(version, [definition]);
    else group.push(definition);
  }
  return groups;
}

/** One request for each version, since a request has one. */
async function requestsOf(client: Client, flags: Flags): Promise<readonly ClientRequest[]> {
  const to = flags.required('to');
  const groups = byVersion(flags, await chosen(client, flags));
  return Array.from(groups, ([version, definitions]) => requestOf(client, flags, to, version, definitions));
}

function requestOf(client: Client, flags: Flags, to: string, version: string, definitions: readonly Listed[]): ClientRequest {
  const body = {
    org_id: client.setting('org_id'),
    project_id: client.setting('project_id'),
    space_id: client.setting('space_id'),
    user_id: client.setting('user_id'),
    target_space_id: to,
    target_version: version,
    definition_list: definitions.map(({ definition_id }) => definition_id),
    modules: flags.has('modules'),
    overwrite: flags.has('overwrite'),
    force: flags.has('force'),
  };
  return { query: { prepare: flags.has('no-prepare') ? 'false' : undefined }, body: JSON.stringify(body) };
}

interface Problem {
  readonly message: string;
}

/** Prints each problem on its own line. */
function tell(problems: readonly Problem[]): void {
  for (const { message } of problems) process.stderr.write(`millrace: ${message.replaceAll('\n', ' ')}\n`);
}

interface DiffAnswer {
  readonly definitions: readonly (Listed & { readonly state: string; readonly diff: string })[];
  readonly modules: readonly { readonly module: string; readonly state: string; readonly diff: string }[];
  readonly databases: readonly { readonly ref: string; readonly ok: boolean; readonly reason?: string }[];
  readonly problems: readonly Problem[];
}

function readable({ definitions, modules, databases }: DiffAnswer): string {
  return [
    ...definitions.map(({ method, uri, version, state, diff }) => `${state} ${method} ${uri} ${version}\n${diff}`),
    ...modules.map(({ module, state, diff }) => `${state} module ${module}\n${diff}`),
    ...databases.map(({ ref, ok, reason }) => `${ok ? 'ok' : 'not ok'} database ${ref}${reason === undefined ? '' : `: ${reason}`}\n`),
  ].join('');
}

/** Sends the requests one after the other until one is rejected. */
async function sendAll(client: Client, method: string, path: string, requests: readonly ClientRequest[]): Promise<Sent> {
  const answers: object[] = [];
  for (const request of requests) {
    const response = await client.send(method, `${PATH}/${path}`, request);
    const answer = (await response.json()) as object;
    if (!response.ok) return { answers, refusal: answer as Refusal };
    answers.push(answer);
  }
  return { answers, refusal: undefined };
}

interface Refusal extends Problem {
  readonly problems?: readonly Problem[];
}

interface Sent {
  readonly answers: readonly object[];
  readonly refusal: Refusal | undefined;
}

/** Joins the lists of several answers. */
function merged(answers: readonly object[]): object {
  const all: Record<string, unknown[]> = {};
  for (const answer of answers)
    for (const [name, list] of Object.entries(answer)) {
      const known = all[name];
      all[name] = known === undefined ? [...(list as unknown[])] : unique([...known, ...(list as unknown[])]);
    }
  return all;
}

/** Versions may need the same databases and modules. */
function unique(items: readonly unknown[]): unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function tellRefusal({ problems, message }: Refusal, copied: number): void {
  if (problems === undefined) tell([{ message }]);
  else tell(problems);
  if (copied > 0) tell([{ message: 'the definitions of earlier versions were copied.' }]);
  else if (problems !== undefined) tell([{ message: 'nothing was copied.' }]);
}

/** Several requests are not one transaction, so all are compared before the first one copies. */
async function problemsBefore(client: Client, flags: Flags, requests: readonly ClientRequest[]): Promise<Refusal | undefined> {
  if (requests.length < 2) return undefined;
  const { answers, refusal } = await sendAll(client, 'POST', 'space/diff', requests);
  if (refusal !== undefined) return refusal;
  const problems = answers.flatMap((answer) => (answer as DiffAnswer).problems);
  return problems.length === 0 || flags.has('force') ? undefined : { message: '', problems };
}

export const PROMOTION_COMMANDS: Subcommands = {
  diff: {
    usage: `diff ${WHAT} [--text] [--no-prepare]`,
    summary: 'what copying definitions into another space would change there, and what speaks against it',
    values: VALUES,
    switches: [...SWITCHES, 'text'],
    run: async (client, flags) => {
      const { answers, refusal } = await sendAll(client, 'POST', 'space/diff', await requestsOf(client, flags));
      if (refusal !== undefined) {
        tell([refusal]);
        return 1;
      }
      const answer = merged(answers) as DiffAnswer;
      process.stdout.write(flags.has('text') ? readable(answer) : `${JSON.stringify(answer)}\n`);
      tell(answer.problems);
      return answer.problems.length === 0 ? 0 : 1;
    },
  },
  copy: {
    usage: `copy ${WHAT} [--overwrite] [--force] [--no-prepare]`,
    summary: 'copy definitions into another space, all or none; with --modules what they load as well',
    values: VALUES,
    switches: [...SWITCHES, 'overwrite', 'force'],
    run: async (client, flags) => {
      const requests = await requestsOf(client, flags);
      const known = await problemsBefore(client, flags, requests);
      const { answers, refusal } =
        known === undefined ? await sendAll(client, 'PUT', 'space/copy', requests) : { answers: [], refusal: known };
      if (answers.length > 0) process.stdout.write(`${JSON.stringify(merged(answers))}\n`);
      if (refusal !== undefined) tellRefusal(refusal, answers.length);
      return refusal === undefined ? 0 : 1;
    },
  },
};
