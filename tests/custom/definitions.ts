// Builds the YAML of definitions from a sketch, deploys and calls it over HTTP.
import { ulid } from 'ulid';
import { stringify } from 'yaml';
import type { TestDatabase } from '../support/engines.ts';
import type { RequestOptions, Response, ServiceClient, TestProject } from '../support/service.ts';

export interface Sketch {
  readonly uri: string;
  readonly method?: string;
  readonly version?: string;
  readonly input_type?: string;
  readonly permission?: readonly string[];
  readonly about?: object;
  readonly input?: object;
  readonly response?: object;
  readonly logic: readonly object[];
  readonly config?: object;
  readonly database?: object;
}

export const DEFINITIONS = '/svc/rest/definition/v1';
export const YAML = { 'content-type': 'application/x-yaml' };

/** Expands a sketch to a document, on a registered database unless the sketch names another one. */
export function documentOf(project: TestProject, database: Registered, sketch: Sketch): Record<string, unknown> {
  const {
    uri,
    method = 'get',
    version = '1.0.0',
    input_type = 'json',
    permission = ['admin'],
    about,
    input,
    response,
    logic,
    config,
  } = sketch;
  return {
    identifiers: {
      org_id: project.orgId,
      project_id: project.projectId,
      feature_id: ulid(),
      space_id: project.headers['x-space-id'],
      user_id: project.userId,
    },
    ...(about && { about }),
    permission,
    http: { uri, method, version, input_type },
    ...(input && { input }),
    logic,
    ...(response && { response }),
    ...(config && { config }),
    database: sketch.database ?? { ref: `${database.dbType}/${database.name}` },
  };
}

type Registered = { readonly dbType: string; readonly name: string };

export class Bench<Database extends Registered = TestDatabase> {
  readonly service: ServiceClient;
  readonly project: TestProject;
  readonly database: Database;

  constructor(service: ServiceClient, project: TestProject, database: Database) {
    this.service = service;
    this.project = project;
    this.database = database;
  }

  document(sketch: Sketch): Record<string, unknown> {
    return documentOf(this.project, this.database, sketch);
  }

  send(method: string, path: string, body: string | undefined, headers: Record<string, string> = {}): Promise<Response> {
    return this.service.request(method, `${DEFINITIONS}${path}`, { headers: { ...this.project.headers, ...YAML, ...headers }, body });
  }

  /** Without asking the database about the SQL, which many tests mean to be wrong. */
  deployText(text: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send('POST', '?prepare=false', text, headers);
  }

  /** Deploys what must be right; gives the id. */
  async deploy(sketch: Sketch): Promise<string> {
    const response = await this.deployText(stringify(this.document(sketch)));
    if (response.status !== 201) throw new Error(`deploy answered ${response.status}: ${response.text}`);
    return response.json<{ definition_id: string }>().definition_id;
  }

  path(uri: string): string {
    return `/${this.project.orgAbbr}/${this.project.projectAbbr}/${uri}`;
  }

  call(method: string, uri: string, { headers, ...options }: RequestOptions = {}): Promise<Response> {
    return this.service.request(method, this.path(uri), { headers: { ...this.project.headers, ...headers }, ...options });
  }

  get(uri: string, options?: RequestOptions): Promise<Response> {
    return this.call('GET', uri, options);
  }

  /** Calls with what must be right; gives the JSON. */
  async rows<T = unknown>(method: string, uri: string, options?: RequestOptions): Promise<T> {
    const response = await this.call(method, uri, options);
    if (response.status !== 200) throw new Error(`${method} ${uri} answered ${response.status}: ${response.text}`);
    return response.json<T>();
  }
}
