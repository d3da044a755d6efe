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

/** The one version of all definitions, as the service requires. */
function versionOf(flags: Flags, definitions: readonly Listed[]): string {
  const given = flags.get('version');
  const [own, other] = new Set(definitions.map(({ version }) => version));
  if (given === undefined && other !== undefined)
    throw new ConfigError('the definitions have several versions; give one for the target with --version.');
  return given ?? own ?? '';
}

async function requestOf(client: Client, flags: Flags): Promise<ClientRequest> {
  const to = flags.required('to');
  const definitions = await chosen(client, flags);
  const body = {
    org_id: client.setting('org_id'),
    project_id: client.setting('project_id'),
    space_id: client.setting('space_id'),
    user_id: client.setting('user_id'),
    target_space_id: to,
    target_version: versionOf(flags, definitions),
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

export const PROMOTION_COMMANDS: Subcommands = {
  diff: {
    usage: `diff ${WHAT} [--text] [--no-prepare]`,
    summary: 'what copying definitions into another space would change there, and what speaks against it',
    values: VALUES,
    switches: [...SWITCHES, 'text'],
    run: async (client, flags) => {
      const response = await client.send('POST', `${PATH}/space/diff`, await requestOf(client, flags));
      const text = await response.text();
      if (!response.ok) {
        tell([JSON.parse(text) as Problem]);
        return 1;
      }
      const answer = JSON.parse(text) as DiffAnswer;
      process.stdout.write(flags.has('text') ? readable(answer) : `${text}\n`);
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
      const response = await client.send('PUT', `${PATH}/space/copy`, await requestOf(client, flags));
      const text = await response.text();
      if (response.ok) process.stdout.write(`${text}\n`);
      else {
        const refusal = JSON.parse(text) as Problem & { readonly problems?: readonly Problem[] };
        tell(refusal.problems === undefined ? [refusal] : [...refusal.problems, { message: 'nothing was copied.' }]);
      }
      return response.ok ? 0 : 1;
    },
  },
};
