/**
 * The page that shows the OpenAPI document: own files, and those of swagger-ui that the build
 * copies. It needs no context headers, and its policy allows nothing but itself.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Exchange } from '../exchange.ts';
import { sendBytes } from './respond.ts';

export interface ViewerFile {
  /** Path below that of the document. */
  readonly path: string;
  readonly type: string;
  readonly locate: () => string;
}

const own = (name: string) => (): string => fileURLToPath(new URL(`../../../assets/viewer/${name}`, import.meta.url));
const swagger = (name: string) => (): string => fileURLToPath(new URL(`../../viewer/${name}`, import.meta.url));

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

export const VIEWER_FILES: readonly ViewerFile[] = [
  { path: 'ui', type: 'text/html; charset=utf-8', locate: own('viewer.html') },
  { path: 'ui/viewer.js', type: SCRIPT, locate: own('viewer.js') },
  { path: 'ui/viewer.css', type: STYLE, locate: own('viewer.css') },
  { path: 'ui/swagger-ui-bundle.js', type: SCRIPT, locate: swagger('swagger-ui-bundle.js') },
  { path: 'ui/swagger-ui.css', type: STYLE, locate: swagger('swagger-ui.css') },
];

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'];

/** Reads each file once. A file that cannot be read is tried again with the next request. */
export class ViewerFiles {
  readonly #contents = new Map<ViewerFile, Promise<Buffer>>();

  async send(exchange: Exchange, file: ViewerFile): Promise<void> {
    sendBytes(exchange, 200, file.type, await this.#read(file), HEADERS);
  }

  #read(file: ViewerFile): Promise<Buffer> {
    const known = this.#contents.get(file);
    if (known !== undefined) return known;
    const content = readFile(file.locate());
    content.catch(() => this.#contents.delete(file));
    this.#contents.set(file, content);
    return content;
  }
}
