// Deploys and manages tokens at two instances during the run: a change acknowledged by one must
// hold at the other, and all acknowledged changes must exist at the end.
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { DEFINITIONS, YAML } from '../custom/definitions.ts';
import type { Ending } from './client.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import type { Tenant, World } from './world.ts';

/** So that what the service keeps of them does not grow with the run. */
const MOST_VERSIONS = 20;

export class Management {
  readonly #world: World;
  readonly #tenant: Tenant;
  readonly #report: Report;
  readonly #deployed: string[] = [];
  readonly #removed: string[] = [];
  /** Ids of tokens that must exist, and of tokens that must not. */
  readonly #kept = new Set<string>();
  readonly #deleted = new Set<string>();
  /** Values that must not occur in a log. */
  readonly secrets: string[] = [];

  constructor(world: World, tenant: Tenant, report: Report) {
    this.#world = world;
    this.#tenant = tenant;
    this.#report = report;
  }

  async run(random: Random, running: () => boolean): Promise<void> {
    for (let turn = 0; running(); turn++) {
      await (random.next() < 0.5 ? this.#deploy(turn) : this.#token(turn));
      await delay(random.whole(100, 600));
    }
  }

  async #deploy(turn: number): Promise<void> {
    const { project, bench, client, name } = this.#tenant;
    const version = `1.0.${turn}`;
    const body = stringify(bench.document({ uri: 'deployed', version, logic: [{ expr: 'v', code: `"${version}"` }] }));
    const ending = await this.#world.otherClient.ask({ method: 'POST', path: DEFINITIONS, headers: { ...project.headers, ...YAML }, body });
    this.#report.note(`deploy ${name}`, ending);
    if (!isStatus(ending, 201)) return;
    this.#deployed.push(version);
    const call = await client.ask({ method: 'GET', path: bench.path(`deployed?version=${version}`), headers: project.headers });
    this.#report.note(`deployed ${name}`, call);
    // An instance without contact to the store may not have the definition yet. If it has it, it
    // serves nothing else.
    if (isStatus(call, 200) && bodyOf(call) !== `"${version}"`) this.#report.violate(`deployed ${version}, served ${bodyOf(call)}`);
    if (this.#deployed.length > MOST_VERSIONS) await this.#remove(this.#deployed.shift() ?? '');
  }

  async #remove(version: string): Promise<void> {
    const { project, name } = this.#tenant;
    const path = `${DEFINITIONS}?uri=deployed&method=get&version=${version}`;
    const ending = await this.#world.otherClient.ask({ method: 'DELETE', path, headers: project.headers });
    this.#report.note(`removed ${name}`, ending);
    if (isStatus(ending, 200)) this.#removed.push(version);
  }

  async #token(turn: number): Promise<void> {
    const { project, client, name } = this.#tenant;
    const { otherClient } = this.#world;
    const json = { ...project.systemHeaders, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: `token ${turn}`, key_type: 'r--', roles: 'admin' });
    const made = await otherClient.ask({ method: 'POST', path: '/svc/system/api/v1/token', headers: json, body });
    this.#report.note(`token ${name}`, made);
    if (!isStatus(made, 201)) return;
    const { token_id: id, power_token: secret } = JSON.parse(bodyOf(made)) as { token_id: string; power_token: string };
    this.secrets.push(secret);
    this.#kept.add(id);
    const use = (): Promise<Ending> =>
      client.ask({
        method: 'GET',
        path: `${this.#tenant.callPath('deployed')}?version=none&pwt=${secret}`,
        headers: { 'x-power-token': secret },
      });
    const used = await use();
    this.#report.note(`token-used ${name}`, used);
    if (turn % 3 === 0) return;
    this.#kept.delete(id);
    const gone = await otherClient.ask({
      method: 'DELETE',
      path: `/svc/system/api/v1/token?token_id=${id}`,
      headers: project.systemHeaders,
    });
    this.#report.note(`token-deleted ${name}`, gone);
    if (!isStatus(gone, 200)) return;
    this.#deleted.add(id);
    // Distinguishes two 404s by their message: an unknown version, and an unknown token.
    const again = await use();
    this.#report.note(`token-after ${name}`, again);
    if (again.kind === 'answer' && again.status !== 503 && !bodyOf(again).includes('Power Token is invalid'))
      this.#report.violate(`a deleted token was taken: ${again.status} ${bodyOf(again)}`);
  }

  /** Compares acknowledged changes with the store. */
  async check(): Promise<void> {
    const { project } = this.#tenant;
    const get = async (path: string): Promise<string> =>
      bodyOf(await this.#world.otherClient.ask({ method: 'GET', path, headers: project.systemHeaders }));
    const list = JSON.parse(await get(`${DEFINITIONS}/list`)) as { uri: string; version: string }[];
    const versions = new Set(list.filter(({ uri }) => uri === 'deployed').map(({ version }) => version));
    for (const version of this.#deployed)
      if (!versions.has(version)) this.#report.violate(`the deploy of ${version} was acknowledged and is lost`);
    for (const version of this.#removed) if (versions.has(version)) this.#report.violate(`${version} was removed and is there`);
    const tokens: string[] = [];
    for (let page = 0; ; page++) {
      const some = JSON.parse(await get(`/svc/system/api/v1/token/list?pg=${page}&ps=500`)) as { token_id: string }[];
      tokens.push(...some.map(({ token_id: id }) => id));
      if (some.length < 500) break;
    }
    for (const id of this.#kept) if (!tokens.includes(id)) this.#report.violate(`the token ${id} was acknowledged and is lost`);
    for (const id of this.#deleted) if (tokens.includes(id)) this.#report.violate(`the token ${id} was deleted and is there`);
    this.#report.fact(
      `${this.#deployed.length + this.#removed.length} deploys, ${this.#removed.length} of them removed, ${this.#kept.size} tokens kept and ${this.#deleted.size} deleted: all as acknowledged`,
    );
  }
}

function isStatus(ending: Ending, status: number): ending is Extract<Ending, { kind: 'answer' }> {
  return ending.kind === 'answer' && ending.status === status;
}

function bodyOf(ending: Ending): string {
  return ending.kind === 'answer' ? ending.body.toString('utf8') : '';
}
