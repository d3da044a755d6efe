/**
 * A folder that a build made: a page, and assets with hashes in their names. Each file is read once
 * and kept with its compressed copies.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { BoundedMap } from '../../util/bounded-map.ts';
import { type ContentEncoding, ENCODINGS } from './content-encoding.ts';

export interface EncodedFile {
  readonly type: string;
  /** Digest of the content. */
  readonly digest: string;
  readonly bodies: Readonly<Partial<Record<ContentEncoding, Buffer>>> & { readonly identity: Buffer };
}

/** Suffix of the copy in this encoding, beside the file. */
const SUFFIXES: Readonly<Record<ContentEncoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Addresses of assets in the page, as the build writes them. */
const ASSET_REFERENCE = /(["'])\.\/assets\//g;

/** Number of depths whose page is kept. Paths deeper than that are rare. */
const MAX_PAGES = 32;

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export class StaticFolder {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> | undefined;
  #html: Promise<string | undefined> | undefined;
  readonly #assets = new Map<string, Promise<EncodedFile>>();
  readonly #pages = new BoundedMap<number, Promise<EncodedFile>>(MAX_PAGES);

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The asset with this name; `undefined` if there is none. */
  async asset(name: string): Promise<EncodedFile | undefined> {
    this.#names ??= listNames(join(this.#folder, 'assets'));
    const names = await this.#names;
    // Copies are variants of their file, not files of their own.
    if (!names.has(name) || extname(name) === SUFFIXES.br || extname(name) === SUFFIXES.gzip) return undefined;
    const known = this.#assets.get(name);
    if (known !== undefined) return known;
    const reading = readEncoded(join(this.#folder, 'assets'), name, names);
    reading.catch(() => this.#assets.delete(name));
    this.#assets.set(name, reading);
    return reading;
  }

  /**
   * The page, for an address that is `depth` folders below that of the assets' parent; `undefined`
   * if the folder has none.
   */
  async page(depth: number): Promise<EncodedFile | undefined> {
    this.#html ??= readText(join(this.#folder, 'index.html'));
    const html = await this.#html;
    if (html === undefined) {
      // A build that ends later is found.
      this.#html = undefined;
      this.#names = undefined;
      return undefined;
    }
    const known = this.#pages.get(depth);
    if (known !== undefined) return known;
    const page = encodePage(depth === 0 ? html : html.replace(ASSET_REFERENCE, `$1${'../'.repeat(depth)}assets/`));
    this.#pages.set(depth, page);
    return page;
  }
}

async function listNames(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(folder).catch(() => []));
}

/** `undefined` if the file does not exist. */
async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readEncoded(folder: string, name: string, names: ReadonlySet<string>): Promise<EncodedFile> {
  const identity = await readFile(join(folder, name));
  const bodies: { -readonly [K in keyof EncodedFile['bodies']]: EncodedFile['bodies'][K] } = { identity };
  for (const encoding of ENCODINGS) {
    const copy = name + SUFFIXES[encoding];
    if (encoding !== 'identity' && names.has(copy)) bodies[encoding] = await readFile(join(folder, copy));
  }
  return { type: TYPES[extname(name)] ?? 'application/octet-stream', digest: digestOf(identity), bodies };
}

async function encodePage(html: string): Promise<EncodedFile> {
  const identity = Buffer.from(html);
  const [br, gzipped] = await Promise.all([compressors.br(identity), compressors.gzip(identity)]);
  return { type: TYPES['.html'] ?? '', digest: digestOf(identity), bodies: { identity, br, gzip: gzipped } };
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}
