// The protocol of revision 2026-07-28 beside earlier ones: metadata in headers and `_meta`, errors
// of JSON-RPC, and the audit log. Needs no database.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { type Response, type Service, setUpProject, sharedService, type TestProject } from '../support/service.ts';

const PATH = '/svc/mcp/v1';
const VERSION = '2026-07-28';
const AWAY = { db_type: 'pg', db_name: 'away', username: 'u', password: 'p', host: '127.0.0.1', port: '1' };

let service: Service;
let project: TestProject;

beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, [AWAY as never]);
});

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Headers = Readonly<Record<string, string | undefined>>;

function headersOf(method: string, name?: string): Headers {
  return { 'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name };
}

function post(body: unknown, headers: Headers = {}): Promise<Response> {
  const given = Object.entries({ ...project.headers, ...headers }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return service.request('POST', PATH, { headers: Object.fromEntries(given), body });
}

const rpc = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });
const outcome = (answer: Response): [number, unknown] => [answer.status, answer.json<{ error?: { code: number } }>().error?.code];

describe('a request of revision 2026-07-28', () => {
  const list = rpc('tools/list', { _meta: META });
  const call = rpc('tools/call', { name: 'list_tables', arguments: {}, _meta: META });

  it('is answered when headers and `_meta` are complete', async () => {
    const listed = await post(list, headersOf('tools/list'));
    expect([listed.status, listed.json<{ result: { resultType: string } }>().result.resultType]).toEqual([200, 'complete']);
    expect((await post(call, headersOf('tools/call', 'list_tables'))).status).toBe(200);
    const encoded = `=?base64?${Buffer.from('list_tables').toString('base64')}?=`;
    expect((await post(call, headersOf('tools/call', encoded))).json()).toMatchObject({ result: { isError: false } });
    expect((await post(rpc('server/discover', { _meta: META }), headersOf('server/discover'))).status).toBe(200);
  });

  it.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])('is refused with -32020 when %s is missing or differs', async (header) => {
    const headers = headersOf('tools/call', 'list_tables');
    expect(outcome(await post(call, { ...headers, [header]: undefined }))).toEqual([400, -32020]);
    const other = header === 'mcp-protocol-version' ? '2025-11-25' : 'other';
    expect(outcome(await post(call, { ...headers, [header]: other }))).toEqual([400, -32020]);
  });

  it('is refused with -32602 when `_meta` or a field of it is missing', async () => {
    const headers = headersOf('tools/list');
    const [version, capabilities] = Object.entries(META).map(([key, value]) => ({ [key]: value }));
    for (const params of [{}, { _meta: {} }, { _meta: version }, { _meta: capabilities }])
      expect(outcome(await post(rpc('tools/list', params), headers)), JSON.stringify(params)).toEqual([400, -32602]);
    expect(outcome(await post(rpc('server/discover')))).toEqual([400, -32602]);
    expect(outcome(await post(rpc('tools/list'), { 'mcp-method': 'tools/list' }))).toEqual([400, -32602]);
  });

  it('is refused with -32022 when the version is unknown', async () => {
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '1999-01-01' };
    const answer = await post(rpc('tools/list', { _meta: meta }), { ...headersOf('tools/list'), 'mcp-protocol-version': '1999-01-01' });
    expect([answer.status, answer.json()]).toEqual([
      400,
      expect.objectContaining({
        error: expect.objectContaining({ code: -32022, data: { supported: [VERSION], requested: '1999-01-01' } }),
      }),
    ]);
  });

  it('is 404 with -32601 when the method is unknown, initialize among them', async () => {
    for (const method of ['nothing/known', 'initialize'])
      expect(outcome(await post(rpc(method, { _meta: META }), headersOf(method)))).toEqual([404, -32601]);
  });
});

describe('a request of an earlier revision', () => {
  it.each([undefined, '2025-03-26', '2025-06-18', '2025-11-25'])('is answered without metadata when its version is %s', async (version) => {
    expect((await post(rpc('tools/list'), { 'mcp-protocol-version': version })).status).toBe(200);
  });
});

describe('a message that cannot be read', () => {
  it('is -32700 or -32600 without an id', async () => {
    for (const [body, code] of [
      ['{"jsonrpc": ', -32700],
      ['', -32700],
      ['[]', -32600],
      ['{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600],
    ] as const) {
      const answer = await post(body, { 'content-type': 'application/json' });
      expect([body, ...outcome(answer)]).toEqual([body, 400, code]);
      expect(answer.json()).not.toHaveProperty('id');
    }
  });
});

describe('the audit log', () => {
  const lines = (action: string): unknown[] =>
    service
      .logs()
      .filter((line) => line['action'] === action && line['project_id'] === project.projectId)
      .map((line) => line['status']);

  it('has a line for every refused call', async () => {
    await post(rpc('tools/call', { name: 'drop_everything\n', arguments: {} }));
    await post(rpc('tools/call', { name: 'read_rows', arguments: [] }));
    await post(rpc('tools/call', { name: 'read_rows', arguments: { nonsense: 1 } }));
    await post(rpc('tools/call', { name: 'read_rows', arguments: {}, _meta: META }));
    await post(rpc('tools/call', { name: 'read_rows', arguments: { table: 'pg/nowhere/t' } }));
    await expect.poll(() => lines('mcp.drop_everything_'), PATIENCE).toEqual([404]);
    await expect.poll(() => lines('mcp.read_rows'), PATIENCE).toEqual([400, 400, 400, 404]);
  });
});

describe('the official client', () => {
  it('accepts tools/list and the error of an unknown tool', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: VERSION } } });
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}${PATH}`), {
      requestInit: { headers: { ...project.headers } },
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    const aggregate = tools.find(({ name }) => name === 'read_rows')?.inputSchema.properties?.['aggregate'];
    expect(aggregate).toMatchObject({ additionalProperties: false, properties: { agg: { anyOf: expect.any(Array) as unknown } } });
    await expect(client.callTool({ name: 'unknown_tool', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});
