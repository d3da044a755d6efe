/** Sends pages and assets in an encoding that the client accepts. */
import { apiError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';
import { sendBytes } from '../response/respond.ts';
import { type ContentEncoding, chooseEncoding } from './content-encoding.ts';
import type { EncodedFile, StaticFolder } from './static-folder.ts';

const FOREVER = 'public, max-age=31536000, immutable';

/** Headers of every file beside those of `headerLines`. */
const FILE_HEADERS = ['Vary', 'Accept-Encoding', 'Cross-Origin-Resource-Policy', 'same-origin', 'Referrer-Policy', 'no-referrer'];

/** Sends the asset that a path names after `start`, or 404. */
export async function sendAsset(exchange: Exchange, folder: StaticFolder, start: number): Promise<void> {
  const name = exchange.path.slice(start);
  const file = await folder.asset(name);
  if (file === undefined) throw apiError('file_unknown', name);
  const { encoding, body } = encode(exchange, file);
  sendBytes(exchange, 200, file.type, body, ['Cache-Control', FOREVER, ...FILE_HEADERS, ...encodingHeader(encoding)]);
}

/** Sends a page with an ETag, or 304 if the client has it. `headers`: further names and values. */
export function sendPage(exchange: Exchange, page: EncodedFile, headers: readonly string[]): void {
  const { encoding, body } = encode(exchange, page);
  const etag = `"${page.digest}-${encoding}"`;
  const isCurrent = hasTag(exchange.header('if-none-match'), etag);
  const all = ['Cache-Control', 'no-cache', 'ETag', etag, ...FILE_HEADERS, ...headers, ...(isCurrent ? [] : encodingHeader(encoding))];
  sendBytes(exchange, isCurrent ? 304 : 200, page.type, isCurrent ? Buffer.alloc(0) : body, all);
}

/** Compares tags weakly. The header may be `*` or a list. */
export function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function encode(exchange: Exchange, { bodies }: EncodedFile): { readonly encoding: ContentEncoding; readonly body: Buffer } {
  const encoding = chooseEncoding(exchange.listHeader('accept-encoding'), Object.keys(bodies) as ContentEncoding[]);
  return { encoding, body: bodies[encoding] ?? bodies.identity };
}

function encodingHeader(encoding: ContentEncoding): readonly string[] {
  return encoding === 'identity' ? [] : ['Content-Encoding', encoding];
}
