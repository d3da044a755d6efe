// Copies the files of swagger-ui-dist that the page of the OpenAPI document needs into dist/viewer, with their licences. The package itself is needed
// for building only: installing it runs a script that reports to another host, and nobody who installs Millrace should run that.
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
