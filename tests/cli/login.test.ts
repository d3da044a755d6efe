// `millrace login` while the demo of `npm start` is still starting.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePrivateFile } from '../../src/cli/terminal/private-file.ts';
import { PATIENCE } from '../support/patience.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const IDS = { org_id: 'ORG', project_id: 'PROJECT', space_id: 'SPACE', user_id: 'USER' };

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-login-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('millrace login', () => {
  it('stores nothing until the demo responds at its address', async () => {
    const context = join(home, 'context.json');
    writeFileSync(join(home, 'keys.json'), JSON.stringify({ server_key: 'KEY' }));
    writeFileSync(join(home, 'demo.json'), JSON.stringify(IDS));
    const env = { PATH: process.env['PATH'], HOME: home, MILLRACE_DATA_DIR: home, MILLRACE_CONTEXT_FILE: context };
    const login = spawn(process.execPath, [MAIN, 'login'], { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    login.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    await expect.poll(() => stderr, PATIENCE).toContain('waiting for the demo');
    expect(existsSync(context)).toBe(false);

    const demo = createServer((request, response) => response.writeHead(request.url === '/readyz' ? 200 : 404).end());
    await once(demo.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(demo.address() as AddressInfo).port}`;
    writePrivateFile(join(home, 'demo.json'), JSON.stringify({ ...IDS, url }));
    const [code] = (await once(login, 'exit')) as [number];
    demo.close();
    expect([code, JSON.parse(readFileSync(context, 'utf8'))]).toEqual([0, { url, ...IDS, server_key: 'KEY' }]);
  });
});
