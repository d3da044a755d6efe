// Client of the System API with the server key of an operator; tests may change any header.
import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import type { Response, Service } from '../support/service.ts';
import type { ErrorBody } from './users-table.ts';

export type Body = Record<string, unknown>;
export type Headers = Readonly<Record<string, string | undefined>>;

export class SystemClient {
  readonly service: Service;
  readonly userId = ulid();

  constructor(service: Service) {
    this.service = service;
  }

  /** A header that is undefined is not sent. */
  send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
    const all: Headers = { 'x-server-key': this.service.serverKey, 'x-user-id': this.userId, ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter((item): item is [string, string] => item[1] !== undefined));
    return this.service.request(method, `/svc/${path}`, { headers: sent, ...(body === undefined ? {} : { body }) });
  }

  system(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
    return this.send(method, `system/api/v1/${path}`, body, headers);
  }

  async createOrg(changes: Body = {}): Promise<string> {
    const answer = await this.system('POST', 'org', { name: 'An organization', abbreviation: abbreviation(), ...changes });
    if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}: ${answer.text}`);
    return String(answer.json<Body>()['org_id']);
  }
}

export const abbreviation = (): string => `a${randomBytes(6).toString('hex')}`;

/** The message of an error with this status; fails the test with the whole answer otherwise. */
export function messageOf(answer: Response, status: number): string {
  const body = JSON.parse(answer.text || '{}') as ErrorBody;
  if (answer.status !== status || body.code !== status || typeof body.message !== 'string')
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return body.message;
}
