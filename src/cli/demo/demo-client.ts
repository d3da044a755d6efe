/** Sets up the demo as an operator would: over HTTP, with the server key. */
import type { Config } from '../../config.ts';

/** Context of a request. Absent ids are not sent. */
export type DemoIds = Partial<Record<'org_id' | 'project_id' | 'space_id' | 'user_id', string>>;

export interface DemoAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class DemoClient {
  readonly #config: Config;
  readonly #url: string;

  constructor(config: Config, url: string) {
    this.#config = config;
    this.#url = url;
  }

  async request(method: string, path: string, ids: DemoIds, sent?: { readonly type: string; readonly body: string }): Promise<DemoAnswer> {
    const headers: Record<string, string> = {
      'x-server-key': this.#config.serverKeys[0] ?? '',
      'x-user-roles': 'admin',
      ...(sent === undefined ? {} : { 'content-type': sent.type }),
    };
    for (const name of ['org_id', 'project_id', 'space_id', 'user_id'] as const) {
      const id = ids[name];
      if (id !== undefined) headers[`x-${name.replace('_', '-')}`] = id;
    }
    return this.#fetch(path, { method, headers, ...(sent === undefined ? {} : { body: sent.body }) });
  }

  /** Reads as the owner of a Power Token. */
  requestByToken(path: string, token: string): Promise<DemoAnswer> {
    return this.#fetch(path, { method: 'GET', headers: { authorization: `Bearer ${token}` } });
  }

  async #fetch(path: string, sent: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string }) {
    const { gatewaySecret, pathPrefix } = this.#config;
    const headers = { ...sent.headers, ...(gatewaySecret === undefined ? {} : { 'x-gateway-secret': gatewaySecret }) };
    const response = await fetch(`${this.#url}/${pathPrefix}/${path}`, { ...sent, headers });
    return { status: response.status, body: (await response.json()) as unknown };
  }

  /** Sends a request and throws unless it succeeds. */
  async send(method: string, path: string, ids: DemoIds, body?: object): Promise<Record<string, unknown>> {
    const sent = body === undefined ? undefined : { type: 'application/json', body: JSON.stringify(body) };
    const answer = await this.request(method, path, ids, sent);
    if (answer.status >= 300) throw new Error(`setting up the demo failed: ${method} ${path}: ${messageOf(answer)}`);
    return answer.body as Record<string, unknown>;
  }
}

export function messageOf({ body }: DemoAnswer): string {
  return String((body as { message?: unknown } | null)?.message ?? 'no message');
}
