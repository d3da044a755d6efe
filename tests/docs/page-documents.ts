// Documents in a page that are not saved to a file: the service checks definitions, personas, apps.
// Parts of definitions are completed first; any other document is a problem.
import { parse, stringify } from 'yaml';
import { newUlid } from '../../src/model/ulid.ts';
import type { Fence } from '../support/documents.ts';
import type { Demo } from './demo.ts';

const SECTIONS = new Set(['about', 'identifiers', 'permission', 'http', 'input', 'logic', 'response', 'config', 'database', 'tests']);
const YAML = { 'content-type': 'application/x-yaml' };

/** Template for a part of a definition: two steps, so that expressions have input. */
const REST = {
  permission: ['admin'],
  http: { uri: 'a-part', method: 'get', version: '1.0.0', input_type: 'json' },
  logic: [{ sql: "SELECT 1 AS id, 'x'::bytea AS pdf" }, { expr: 'second', code: 'step_0[0]' }],
  database: { ref: 'pg/shop' },
};

export async function checkDocument(demo: Demo, { text }: Fence): Promise<readonly string[]> {
  const document = parse(text) as Record<string, unknown>;
  if ('persona' in document) return checkPersona(demo, text);
  if ('app' in document) return checkApp(demo, text);
  const unknown = Object.keys(document).filter((name) => !SECTIONS.has(name));
  if (unknown.length > 0) return [`a document of another kind (${unknown.join(', ')}); say its name in a comment on its first line`];
  const isWhole = 'logic' in document && 'http' in document;
  const whole = { ...(isWhole ? {} : REST), ...document, identifiers: { ...demo.ids, feature_id: newUlid() } };
  const answer = await demo.service.request('POST', '/svc/rest/definition/v1/check', {
    headers: { ...demo.headers, ...YAML },
    body: stringify(whole),
  });
  const { valid, problems = [] } = answer.json<{ valid?: boolean; problems?: { line: number; message: string }[] }>();
  if (answer.status === 200 && valid === true) return [];
  return [`not valid: ${problems.length === 0 ? answer.text : problems.map(({ message }) => message).join('; ')}`];
}

async function checkApp(demo: Demo, text: string): Promise<readonly string[]> {
  const answer = await demo.service.request('POST', '/svc/app/v1/check', { headers: { ...demo.headers, ...YAML }, body: text });
  const { valid, problems = [] } = answer.json<{ valid?: boolean; problems?: { line: number; path: string; message: string }[] }>();
  if (answer.status === 200 && valid === true) return [];
  return [`not valid: ${problems.length === 0 ? answer.text : problems.map(({ path, message }) => `${path} ${message}`).join('; ')}`];
}

/** Stores the document under a unique name and removes it again. */
async function checkPersona(demo: Demo, text: string): Promise<readonly string[]> {
  const { persona } = parse(text) as { persona: string };
  const project = await demo.service.request('GET', `/svc/system/api/v1/project?project_id=${demo.ids.project_id}`, {
    headers: demo.headers,
  });
  const space = project.json<{ spaces: { name: string; space_id: string }[] }>().spaces.find(({ name }) => name === 'prod');
  const headers = { ...demo.headers, 'x-space-id': space?.space_id ?? '' };
  const put = await demo.service.request('POST', '/svc/persona/v1', { headers: { ...headers, ...YAML }, body: text });
  await demo.service.request('DELETE', `/svc/persona/v1?persona=${persona}`, { headers });
  const { warnings = [] } = put.json<{ warnings?: string[] }>();
  return put.status < 300 ? warnings : [put.text];
}
