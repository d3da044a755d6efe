// Creates organizations, projects, tokens and definitions over the service's own API.
import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** An unexpected response. The scenario is reported as unavailable. */
export class Refused extends Error {}

export class Administrator {
  #url;
  #system;

  constructor(service) {
    this.#url = `http://127.0.0.1:${service.port}`;
    this.#system = { 'X-Server-Key': service.serverKey, 'X-User-Id': ulid() };
  }

  async send(method, path, headers, body) {
    const response = await fetch(this.#url + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Refused(`${method} ${path.split('?')[0]} gave ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /** Creates a project with these database entries. Returns its headers and paths. */
  async createProject(entries) {
    const suffix = randomBytes(5).toString('hex');
    const system = { ...this.#system, ...JSON_TYPE };
    const org = await this.send(
      'POST',
      '/svc/system/api/v1/org',
      system,
      JSON.stringify({ name: `Org ${suffix}`, abbreviation: `org-${suffix}` }),
    );
    const project = await this.send(
      'POST',
      '/svc/system/api/v1/project',
      { ...system, 'X-Org-Id': org.org_id },
      JSON.stringify({ name: `Project ${suffix}`, abbreviation: `project-${suffix}`, database: entries }),
    );
    const space = project.spaces.find(({ name }) => name === 'dev').space_id;
    const headers = {
      'X-Org-Id': org.org_id,
      'X-Project-Id': project.project_id,
      'X-Space-Id': space,
      'X-User-Id': this.#system['X-User-Id'],
      'X-User-Roles': 'admin,power',
    };
    const abbreviations = `org-${suffix}/project-${suffix}`;
    return {
      headers,
      auto: (type, database, table) => `/svc/api/rest/auto/v1/${abbreviations}/${type}/${database}/${table}`,
      custom: (uri) => `/${abbreviations}/${uri}`,
    };
  }

  async createToken(project) {
    const headers = { ...project.headers, ...JSON_TYPE, 'X-Server-Key': this.#system['X-Server-Key'] };
    const body = { name: `bench-${randomBytes(4).toString('hex')}`, key_type: 'rwd', roles: ['admin', 'power'] };
    return (await this.send('POST', '/svc/system/api/v1/token', headers, JSON.stringify(body))).power_token;
  }

  /** Readers lack two columns, and see rows from an id in their claims. */
  async putReader(project, table) {
    const read = { except: ['email', 'created_at'], rows: ['id=ge.?:claims.low'] };
    const headers = { ...project.headers, 'Content-Type': 'application/json' };
    await this.send(
      'POST',
      '/svc/persona/v1',
      headers,
      JSON.stringify({ persona: 'reader', roles: ['reader'], tables: { [table]: { read } } }),
    );
    return { ...project.headers, 'X-User-Roles': 'reader', 'X-User-Claims': '{"low":0}' };
  }

  /** Deploys a GET endpoint with these steps. JSON is valid YAML. */
  async deploy(project, uri, logic, database, more = {}) {
    const { headers } = project;
    const definition = {
      identifiers: {
        org_id: headers['X-Org-Id'],
        project_id: headers['X-Project-Id'],
        feature_id: ulid(),
        space_id: headers['X-Space-Id'],
        user_id: headers['X-User-Id'],
      },
      permission: ['admin'],
      http: { uri, method: 'get', version: '1.0.0', input_type: 'json' },
      logic,
      ...more,
      config: {},
      database: { ref: database },
    };
    await this.send('POST', '/svc/rest/definition/v1', { ...headers, 'Content-Type': 'application/x-yaml' }, JSON.stringify(definition));
  }
}

/** Registration of a database in a project's body. */
export function databaseEntry(address, database, changes = {}) {
  return {
    host_details: [{ host: address.host, port: String(address.entryPort) }],
    username: address.user,
    password: address.password,
    db_name: database,
    db_type: address.type,
    // Without TLS, as the yardsticks' drivers.
    tls: 'disable',
    ...changes,
  };
}

/** Runs `work` for all items, at most `width` at a time. */
export async function inParallel(items, width, work) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
