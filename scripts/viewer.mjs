// Copies the files of swagger-ui-dist for the OpenAPI page into dist/viewer, with their licences.
// The package is only a build dependency, because its install script reports to another host.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'dist', 'viewer');
const FILES = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'LICENSE', 'NOTICE'];

export function hasViewer() {
  return FILES.every((name) => existsSync(join(target, name)));
}

export function copyViewer() {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  mkdirSync(target, { recursive: true });
  for (const name of FILES) copyFileSync(join(source, name), join(target, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) copyViewer();
