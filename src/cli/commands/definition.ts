/** `millrace definition …`: deploys and manages definitions from files. */
import { type Client, readSource } from '../client/client.ts';
import type { Flags } from '../client/client-flags.ts';
import { inContext } from '../client/identifiers.ts';
import { describeProblems, type PlacedProblem, type SourceFile } from '../terminal/problems.ts';
import type { Subcommands } from './client.ts';
import { PROMOTION_COMMANDS } from './promotion.ts';

const PATH = 'rest/definition/v1';
const YAML = 'application/x-yaml';
/** The document to send, and the file as its author knows it. */
function documentOf(client: Client, file: string | undefined): { readonly body: string; readonly source: SourceFile } {
  const text = readSource(file);
  return { body: inContext(client, text), source: { file: file ?? '-', text } };
}

interface CheckAnswer {
  readonly valid: boolean;
  readonly problems: readonly PlacedProblem[];
  readonly error?: unknown;
}

/** Prints the result, each problem on its own line. */
async function checkFile(client: Client, flags: Flags): Promise<number> {
  const { body, source } = documentOf(client, flags.rest[0]);
  const response = await client.send('POST', `${PATH}/check`, {
    query: {
      // A version that is deployed already can be deployed with --update.
      update: 'true',
      execute: flags.has('execute') ? 'true' : undefined,
      input: flags.get('input'),
      query: flags.get('query'),
      prepare: flags.has('no-prepare') ? 'false' : undefined,
    },
    body,
    type: YAML,
  });
  const text = await response.text();
  if (!response.ok) {
    process.stderr.write(`millrace: ${String((JSON.parse(text) as { message: unknown }).message)}\n`);
    return 1;
  }
  const answer = JSON.parse(text) as CheckAnswer;
  process.stderr.write(describeProblems(source, answer.problems));
  process.stdout.write(`${text}\n`);
  return answer.valid && answer.error === undefined ? 0 : 1;
}

export const DEFINITION_COMMANDS: Subcommands = {
  deploy: {
    usage: 'deploy FILE [--update] [--no-prepare]',
    summary: 'deploy a definition, or replace the deployed version',
    switches: ['update', 'no-prepare'],
    run: (client, flags) => {
      const { body, source } = documentOf(client, flags.rest[0]);
      return client.print(flags.has('update') ? 'PUT' : 'POST', PATH, {
        query: { prepare: flags.has('no-prepare') ? 'false' : undefined },
        body,
        type: YAML,
        source,
      });
    },
  },
  check: {
    usage: "check FILE [--execute] [--input '{…}'] [--query 'a=1&b=2'] [--no-prepare]",
    summary: 'check a definition, and try it in a transaction that is taken back',
    values: ['input', 'query'],
    switches: ['execute', 'no-prepare'],
    run: (client, flags) => checkFile(client, flags),
  },
  list: {
    usage: 'list [--method METHOD] [--format FORMAT]',
    summary: 'the definitions of the space',
    values: ['method', 'format'],
    run: (client, flags) =>
      client.list(`${PATH}/list`, {
        query: { method: flags.get('method'), format: flags.get('format') },
        columns: ['method', 'uri', 'version', 'definition_id', 'updated_at'],
      }),
  },
  get: {
    usage: 'get DEFINITION_ID [--format yaml]',
    summary: 'one definition',
    values: ['format'],
    run: (client, flags) =>
      client.print('GET', PATH, { query: { definition_id: flags.argument(0, 'the definition_id'), format: flags.get('format') } }),
  },
  delete: {
    usage: 'delete URI --method METHOD --version VERSION',
    summary: 'delete one version',
    values: ['method', 'version'],
    run: (client, flags) =>
      client.print('DELETE', PATH, {
        query: { uri: flags.argument(0, 'the uri'), method: flags.required('method'), version: flags.required('version') },
      }),
  },
  history: {
    usage: 'history URI --method METHOD | history --revision REVISION_ID',
    summary: 'what was deployed under a uri and method, or one document of it',
    values: ['method', 'revision'],
    run: (client, flags) => {
      const revision = flags.get('revision');
      if (revision !== undefined) return client.print('GET', `${PATH}/history`, { query: { revision_id: revision } });
      const query = { uri: flags.argument(0, 'the uri'), method: flags.required('method') };
      return client.list(`${PATH}/history`, { query, columns: ['at', 'action', 'version', 'user_id', 'revision_id'] });
    },
  },
  ...PROMOTION_COMMANDS,
};
