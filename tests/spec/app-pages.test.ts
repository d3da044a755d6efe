// Pages of apps over HTTP: HTML, headers, errors, public tokens, the page without a context.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type Response, type Service, setUpProject, sharedService, startService, type TestProject } from '../support/service.ts';

const PATH = '/svc/app/v1';
const YAML = { 'content-type': 'application/x-yaml' };
const HTML = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const PAGE = `app: board
title: Sales </title><b>&
description: By month
permission: [reader]
locale: de-DE
inputs: {from: {type: date, default: this-year}}
blocks:
  - text: "# Overview\\n\\nRead [this](https://example.org) </script><script>alert(1)</script>"
  - row:
      - text: First
        id: first
        span: 2
      - row: [{text: Second, title: Of two, note: A note}]
  - tabs: [{title: One, blocks: [{text: Inside}]}, {title: Two, blocks: [{text: Also inside, id: also}]}]
`;

let service: Service;
let project: TestProject;

beforeAll(async () => {
  service = await sharedService();
  project = await setUpProject(service, []);
  const created = await service.request('POST', PATH, { headers: { ...project.headers, ...YAML }, body: PAGE });
  expect(created.status).toBe(201);
});
afterAll(() => service?.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => service.request('GET', PATH + path, { headers });
const render = (headers: Record<string, string> = {}): Promise<Response> =>
  get('/render?app=board&from=2024-01-01', { ...project.headers, 'x-user-roles': 'reader', ...headers });

async function createToken(key_type: string, roles: readonly string[], more: object = {}): Promise<string> {
  const name = `token ${Math.random()}`;
  const response = await service.request('POST', '/svc/system/api/v1/token', {
    headers: project.systemHeaders,
    body: { name, key_type, roles, ...more },
  });
  return response.json<{ power_token: string }>().power_token;
}

/** The document in the page. */
function documentIn({ text }: Response): { blocks: Record<string, unknown>[] } {
  const json = /<script type="application\/json" id="app">(.*?)<\/script>/s.exec(text)?.[1] ?? '';
  expect(json).not.toContain('<');
  return JSON.parse(json) as { blocks: Record<string, unknown>[] };
}

describe('the page of an app', () => {
  it('has its title, language, headings and texts without a program', async () => {
    const { status, text } = await render();
    expect(status).toBe(200);
    expect(text).toMatch(/^<!doctype html>\n<html lang="de-DE"/);
    expect(text).toContain('<title>Sales &lt;/title&gt;&lt;b&gt;&amp;</title>');
    expect(text).toContain('<h1 data-testid="app-title">Sales &lt;/title&gt;&lt;b&gt;&amp;</h1><p>By month</p>');
    expect(text).toContain('<h2>Overview</h2>');
    expect(text).toContain('<a href="https://example.org" rel="noreferrer noopener">this</a> &lt;/script&gt;&lt;script&gt;');
    expect(text).toContain('<h2 data-testid="block-title">Of two</h2>');
    expect(text).toContain('<p class="note">A note</p>');
    for (const part of ['First', 'Second', 'Inside', 'Also inside', '<h2>One</h2>', '<h2>Two</h2>']) expect(text).toContain(part);
    expect(text).not.toContain('<script>');
  });

  it('has a place for each block in document order', async () => {
    const { text } = await render();
    expect([...text.matchAll(/data-testid="block-([a-z0-9-]+)" data-kind="(\w+)"/g)].map(([, id, kind]) => [id, kind])).toEqual([
      ['b1', 'text'],
      ['first', 'text'],
      ['b2', 'text'],
      ['tabs1', 'tabs'],
      ['b3', 'text'],
      ['also', 'text'],
    ]);
    expect(text).toContain('id="block-first" data-testid="block-first" data-kind="text" data-state="ready" data-span="2"');
  });

  it('has the document with the id of each block', async () => {
    expect(documentIn(await render())).toEqual({
      app: 'board',
      title: 'Sales </title><b>&',
      description: 'By month',
      permission: ['reader'],
      locale: 'de-DE',
      inputs: { from: { type: 'date', default: 'this-year' } },
      blocks: [
        { text: expect.stringContaining('</script>'), id: 'b1' },
        { row: [{ text: 'First', id: 'first', span: 2 }, { row: [{ text: 'Second', title: 'Of two', note: 'A note', id: 'b2' }] }] },
        {
          tabs: [
            { title: 'One', blocks: [{ text: 'Inside', id: 'b3' }] },
            { title: 'Two', blocks: [{ text: 'Also inside', id: 'also' }] },
          ],
          id: 'tabs1',
        },
      ],
    });
  });

  it('has headers that allow only the files of the service', async () => {
    for (const response of [await render(), await get('/ui?app=board')]) {
      expect(response.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        'content-security-policy': POLICY,
        'x-frame-options': 'DENY',
      });
      expect(response.headers).not.toHaveProperty('set-cookie');
    }
  });

  it('has relative addresses only', async () => {
    for (const { text } of [await render(), await get('/ui?app=board')])
      for (const [, address = ''] of text.matchAll(/\s(?:src|href)="([^"]*)"/g))
        expect(address).toMatch(/^assets\/|^data:,$|^https:\/\/example\.org$/);
  });

  it('is live at once when the app changes', async () => {
    const change = (title: string) =>
      service.request('POST', PATH, {
        headers: { ...project.headers, ...YAML },
        body: `app: live\ntitle: ${title}\npermission: [reader]\nblocks: [{text: a}]\n`,
      });
    const titleOf = async (): Promise<string> =>
      (await get('/render?app=live', { ...project.headers, 'x-user-roles': 'reader' })).text.match(/<title>(.*)<\/title>/)?.[1] ?? '';
    for (const title of ['One', 'Two', 'Three']) {
      await change(title);
      expect(await titleOf()).toBe(title);
    }
  });

  it('is sent for HEAD without its body', async () => {
    const response = await service.request('HEAD', `${PATH}/render?app=board`, {
      headers: { ...project.headers, 'x-user-roles': 'reader' },
    });
    expect([response.status, response.body.length]).toEqual([200, 0]);
  });
});

describe('an error of a page', () => {
  it('is JSON, and a small page for browsers', async () => {
    const headers = { ...project.headers, 'x-user-roles': 'none' };
    const json = await get('/render?app=board', headers);
    const { code, status, message } = json.json<{ code: number; status: string; message: string }>();
    expect([json.status, code, status]).toEqual([403, 403, 'Forbidden']);
    const page = await get('/render?app=board', { ...headers, ...HTML });
    expect([page.status, page.headers['content-type'], page.headers['content-security-policy']]).toEqual([
      403,
      'text/html; charset=utf-8',
      POLICY,
    ]);
    expect(page.text).toContain('<h1>403 Forbidden</h1>');
    expect(page.text).toContain(`>${message.replaceAll('"', '&quot;')}</p>`);
    expect((await get('/render?app=none', { ...project.headers, ...HTML })).status).toBe(404);
    const other = await service.request('POST', `${PATH}/render`, { headers: { ...project.headers, ...HTML } });
    expect([other.status, other.headers['allow'], other.text.includes('<h1>405')]).toEqual([405, 'GET', true]);
    expect((await get('/render?app=board', HTML)).status).toBe(401);
    expect((await get('/render', { ...project.headers, ...HTML })).text).toContain('<h1>400 Bad Request</h1>');
  });
});

describe('the page without a context', () => {
  it('reveals nothing about the app', async () => {
    const pages = await Promise.all(['board', 'none'].map((app) => get(`/ui?app=${app}`)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    expect(pages[0]?.text).toBe(pages[1]?.text);
    expect(pages[0]?.text).not.toContain('board');
  });
});

describe('a public page', () => {
  it('opens with a token that may only read, in the address alone', async () => {
    const token = await createToken('r--', ['reader']);
    const page = await get(`/render?app=board&pwt=${token}`);
    expect([page.status, page.text.includes('Overview'), page.text.includes(token)]).toEqual([200, true, false]);
    for (const path of ['/detail?app=board', '/list', '/history?app=board', '/ui?app=board'])
      expect([path, (await get(`${path}${path.includes('?') ? '&' : '?'}pwt=${token}`)).status]).toEqual([path, 401]);
    const elsewhere = await service.request('GET', `/svc/rest/openapi/v1?pwt=${token}`);
    expect(elsewhere.status).toBe(401);
  });

  it('needs a role of the app', async () => {
    expect((await get(`/render?app=board&pwt=${await createToken('r--', ['admin'])}`)).status).toBe(403);
    expect((await get(`/render?app=none&pwt=${await createToken('r--', ['reader'])}`)).status).toBe(404);
  });

  it.each(['rw-', 'rwd', '-w-', 'r-d', '--d'])('does not open with a token of the key_type %s', async (type) => {
    expect((await get(`/render?app=board&pwt=${await createToken(type, ['reader'])}`)).status).toBe(401);
  });

  it('does not open with an unknown, deleted or expired token', async () => {
    expect((await get('/render?app=board&pwt=mr_unknown')).status).toBe(404);
    const expired = await createToken('r--', ['reader'], { expires_at: new Date(Date.now() + 1_000).toISOString() });
    await expect.poll(async () => (await get(`/render?app=board&pwt=${expired}`)).status).toBe(404);
  });

  it('has neither forms nor actions', async () => {
    const document = {
      app: 'forms',
      title: 'Forms',
      permission: ['reader'],
      blocks: [{ row: [{ text: 'a' }, { text: 'b', id: 'kept' }] }, { tabs: [{ title: 'T', blocks: [{ text: 'c' }] }] }],
    };
    await service.request('POST', PATH, { headers: project.headers, body: document });
    const page = await get(`/render?app=forms&pwt=${await createToken('r--', ['reader'])}`);
    expect(JSON.stringify(documentIn(page).blocks)).toContain('kept');
  });
});

describe('a token', () => {
  it('opens pages and apps with the rights of its key_type', async () => {
    const [read, write, remove] = await Promise.all(['r--', '-w-', '--d'].map((type) => createToken(type, ['reader', 'admin'])));
    const bearer = (token = ''): Record<string, string> => ({ authorization: `Bearer ${token}` });
    const request = (method: string, path: string, token: string | undefined, body?: string): Promise<Response> =>
      service.request(method, PATH + path, { headers: { ...bearer(token), ...YAML }, ...(body === undefined ? {} : { body }) });
    const text = 'app: token\ntitle: T\npermission: [reader]\nblocks: [{text: a}]\n';
    expect((await request('GET', '/render?app=board', read)).status).toBe(200);
    expect((await request('GET', '/list', write)).status).toBe(403);
    expect((await request('POST', '', read, text)).status).toBe(403);
    expect((await request('POST', '', write, text)).status).toBe(201);
    expect((await request('DELETE', '?app=token', write)).status).toBe(403);
    expect((await request('DELETE', '?app=token', remove)).status).toBe(200);
    expect((await request('GET', `/render?app=board&pwt=${read}`, read)).status).toBe(400);
  });

  it('in header and address opens the page of a member', async () => {
    const token = await createToken('rwd', ['reader']);
    expect((await get(`/render?app=board&pwt=${token}`, { 'x-power-token': token })).status).toBe(200);
    expect((await get('/render?app=board', { 'x-power-token': token })).status).toBe(401);
  });
});

describe('embedding', () => {
  it('is allowed to the origins of MILLRACE_FRAME_ANCESTORS', async () => {
    const own = await startService({ env: { MILLRACE_FRAME_ANCESTORS: 'https://intranet.example.com, self' } });
    try {
      const { headers } = await own.request('GET', `${PATH}/ui?app=a`);
      expect(headers['content-security-policy']).toContain("frame-ancestors https://intranet.example.com 'self';");
      expect(headers).not.toHaveProperty('x-frame-options');
    } finally {
      await own.stop();
    }
  });

  it.each(['*', 'https://*.example.com', 'example.com', 'ftp://example.com', 'https://example.com/path', "'self'", 'https://example.com;'])(
    'is not configured by the entry %s',
    (entry) => {
      expect(() => loadConfig({ MILLRACE_FRAME_ANCESTORS: entry }, 'none')).toThrow('MILLRACE_FRAME_ANCESTORS');
    },
  );
});
