/**
 * The command line as a client of a running service. Address and credentials are read from flags,
 * the environment, millrace.yaml and the stored context. Errors are printed on stderr with exit
 * code 1.
 */
import { readFileSync } from 'node:fs';
import { parseExact } from '../../client/exact-json.ts';
import { ConfigError, clientSettings } from '../../config.ts';
import { parseUlid } from '../../model/ulid.ts';
import { type ListedRow, tableOf } from '../terminal/listing.ts';
import { describeProblems, type PlacedProblem, problemsIn, type SourceFile, withPath } from '../terminal/problems.ts';
import type { Flags } from './client-flags.ts';

/** Flags of all client commands, by the setting that each overrides. */
export const CLIENT_SETTINGS = {
  url: 'url',
  'org-id': 'org_id',
  'project-id': 'project_id',
  'space-id': 'space_id',
  'user-id': 'user_id',
  roles: 'user_roles',
  persona: 'persona',
  claims: 'user_claims',
  token: 'power_token',
  'server-key': 'server_key',
  'gateway-secret': 'gateway_secret',
  prefix: 'path_prefix',
} as const;

export const CLIENT_FLAGS: readonly string[] = Object.keys(CLIENT_SETTINGS);

/** Output of lists: JSON or a table. The default is a table on a terminal. */
export const CLIENT_SWITCHES: readonly string[] = ['json', 'table'];

const HEADERS: Readonly<Record<string, string>> = {
  org_id: 'x-org-id',
  project_id: 'x-project-id',
  space_id: 'x-space-id',
  user_id: 'x-user-id',
  user_roles: 'x-user-roles',
  persona: 'x-persona',
  user_claims: 'x-user-claims',
  server_key: 'x-server-key',
  gateway_secret: 'x-gateway-secret',
  power_token: 'x-power-token',
};

/** Ids that may also be given by name or abbreviation. */
const NAMEABLE: ReadonlySet<string> = new Set(['org_id', 'project_id', 'space_id']);

/** A record of the service that has a name. */
type Named = Readonly<Record<string, unknown>>;

export interface ClientRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly type?: string;
  /** File that the body was read from, for showing problems in it. */
  readonly source?: SourceFile;
}

export interface Listing extends ClientRequest {
  /** Columns of the table; all if absent. */
  readonly columns?: readonly string[];
  /** Extracts the rows from a response that is not a list itself. */
  readonly rows?: (answer: unknown) => readonly ListedRow[];
}

/** The body of an error. */
interface Refusal {
  readonly message: unknown;
  readonly problems?: readonly PlacedProblem[];
}

export interface Found {
  readonly id: string;
  readonly abbreviation: string;
  readonly name: string;
}

export class Client {
  readonly #settings: Map<string, string>;
  readonly #forPeople: boolean;

  constructor(flags: Flags, settings: ReadonlyMap<string, string> = clientSettings()) {
    const merged = new Map(settings);
    for (const [flag, name] of Object.entries(CLIENT_SETTINGS)) {
      const value = flags.get(flag);
      if (value !== undefined) merged.set(name, value);
    }
    this.#settings = merged;
    this.#forPeople = flags.has('table') || (process.stdout.isTTY === true && !flags.has('json'));
  }

  setting(name: string): string | undefined {
    return this.#settings.get(name);
  }

  /**
   * Replaces names and abbreviations of organization, project and space by their ids. Queries the
   * service only if necessary.
   */
  async resolveNames(): Promise<void> {
    await this.#resolve('org_id', async () => this.#list('system/api/v1/org/list'));
    await this.#resolve('project_id', async () => this.#list('system/api/v1/project/list'));
    await this.#resolve('space_id', async () => {
      const projects = await this.#list('system/api/v1/project/list');
      return (projects.find(({ project_id }) => project_id === this.setting('project_id'))?.['spaces'] ?? []) as readonly Named[];
    });
  }

  async #resolve(setting: 'org_id' | 'project_id' | 'space_id', all: () => Promise<readonly Named[]>): Promise<void> {
    const given = this.#settings.get(setting);
    if (given === undefined || parseUlid(given) !== undefined) return;
    this.#settings.set(setting, String(only(setting, given, await all())[setting]));
  }

  /** Finds an organization, or a project of the organization, by id, abbreviation or name. */
  async find(setting: 'org_id' | 'project_id', given: string): Promise<Found> {
    const one = only(setting, given, await this.#list(`system/api/v1/${setting.slice(0, -3)}/list`));
    return { id: String(one[setting]), abbreviation: String(one['abbreviation']), name: String(one['name']) };
  }

  async #list(path: string): Promise<readonly Named[]> {
    const response = await this.send('GET', path);
    const answer = (await response.json()) as unknown;
    if (!response.ok) throw new Error(`names cannot be looked up: ${String((answer as { message?: unknown }).message)}`);
    return answer as readonly Named[];
  }

  get #base(): string {
    return this.#settings.get('url') ?? 'http://127.0.0.1:8080';
  }

  address(path: string, query: ClientRequest['query'] = {}): URL {
    const url = new URL(`${this.#base.replace(/\/$/, '')}/${this.#settings.get('path_prefix') ?? 'svc'}/${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  async send(method: string, path: string, { query = {}, body, type = 'application/json' }: ClientRequest = {}): Promise<Response> {
    const url = this.address(path, query);
    const token = this.#settings.get('power_token');
    if (token !== undefined) url.searchParams.set('pwt', token);
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': type };
    for (const [name, header] of Object.entries(HEADERS)) {
      const value = this.#settings.get(name);
      // A name is not sent as an id while it is being resolved.
      if (value !== undefined && NAMEABLE.has(name) && parseUlid(value) === undefined) continue;
      // Several keys are valid during a rotation; any of them works.
      if (value !== undefined) headers[header] = name === 'server_key' ? (value.split(',', 1)[0] ?? '').trim() : value;
    }
    headers['x-user-roles'] ??= 'admin';
    try {
      return await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      throw new Error(`${this.#base} does not answer`, { cause: (error as Error).cause ?? error });
    }
  }

  /** Sends a request, prints the response, and returns the exit code. */
  async print(method: string, path: string, sent: ClientRequest = {}): Promise<number> {
    const response = await this.send(method, path, sent);
    return this.#show(response, sent.source, (text) => text);
  }

  /** Requests a list, prints it, and returns the exit code. */
  async list(path: string, { columns, rows, ...sent }: Listing = {}): Promise<number> {
    const response = await this.send('GET', path, sent);
    return this.#show(response, undefined, (text, isJson) => {
      if (!isJson || !this.#forPeople) return rows === undefined || !isJson ? text : JSON.stringify(rows(JSON.parse(text)));
      const answer = parseExact(text);
      return tableOf(rows === undefined ? (answer as readonly ListedRow[]) : rows(answer), columns);
    });
  }

  async #show(response: Response, source: SourceFile | undefined, shown: (text: string, isJson: boolean) => string): Promise<number> {
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (response.ok) {
      const made = shown(text, isJson);
      process.stdout.write(made.endsWith('\n') ? made : `${made}\n`);
      return 0;
    }
    const refusal = isJson ? (JSON.parse(text) as Refusal) : { message: text };
    const message = String(refusal.message);
    const problems = source === undefined ? [] : (refusal.problems?.map(withPath) ?? problemsIn(message));
    process.stderr.write(source === undefined || problems.length === 0 ? `millrace: ${message}\n` : describeProblems(source, problems));
    return 1;
  }
}

/** Selects the single matching record. */
function only(setting: string, given: string, all: readonly Named[]): Named {
  const what = setting.slice(0, -3);
  const found = all.filter((record) => [record[setting], record['abbreviation'], record['name']].includes(parseUlid(given) ?? given));
  const [one] = found;
  if (one === undefined) throw new ConfigError(`there is no ${what} ${JSON.stringify(given)}.`);
  if (found.length > 1) throw new ConfigError(`${JSON.stringify(given)} names several; give the id.`);
  return one;
}

/** Reads a file, or stdin for `-`. */
export function readSource(file: string | undefined): string {
  if (file === undefined) throw new ConfigError('the file is missing; give its name, or - for what comes in.');
  return readFileSync(file === '-' ? 0 : file, 'utf8');
}
