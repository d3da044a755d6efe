/**
 * Decides which revision of the protocol a request follows, and checks the metadata that the
 * stateless revision requires in headers and `_meta`. Pure.
 */
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { HEADER_MISMATCH, INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from './rpc-error.ts';
import { mapOf } from './values.ts';

export const STATELESS_VERSION = '2026-07-28';
export const HANDSHAKE_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** Headers of the transport, which must agree with the message. */
export interface MessageHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

export type Revision = 'stateless' | 'handshake';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** Methods that repeat a parameter in the header Mcp-Name. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/**
 * A request without any sign of the stateless revision follows an earlier one, whose clients need
 * not name a version.
 */
export function revisionOf(method: string, params: PlainMap, headers: MessageHeaders): Revision {
  const meta = params.get('_meta');
  const version = meta instanceof Map ? meta.get(VERSION_KEY) : undefined;
  const isMarked = headers.method !== undefined || headers.name !== undefined || method === 'server/discover';
  if (version === undefined && (headers.version === undefined ? !isMarked : HANDSHAKE_VERSIONS.includes(headers.version)))
    return 'handshake';
  checkVersion(version ?? headers.version ?? STATELESS_VERSION);
  if (version === undefined) throw missing(VERSION_KEY);
  checkHeaders(method, params, headers);
  if (!(meta instanceof Map) || !(meta.get(CAPABILITIES_KEY) instanceof Map)) throw missing(CAPABILITIES_KEY);
  return 'stateless';
}

function checkVersion(version: PlainValue): void {
  if (version === STATELESS_VERSION) return;
  const data = mapOf({ supported: [STATELESS_VERSION], requested: version });
  throw new RpcError(UNSUPPORTED_VERSION, `The protocol version ${String(version).slice(0, 40)} is not supported.`, 'malformed', data);
}

function missing(key: string): RpcError {
  return new RpcError(INVALID_PARAMS, `_meta lacks ${key}. Every request of ${STATELESS_VERSION} has it.`, 'malformed');
}

function checkHeaders(method: string, params: PlainMap, headers: MessageHeaders): void {
  const named = NAMES.get(method);
  const pairs: readonly (readonly [header: string, inHeader: string | undefined, inMessage: PlainValue | undefined])[] = [
    ['MCP-Protocol-Version', headers.version, STATELESS_VERSION],
    ['Mcp-Method', headers.method, method],
    ...(named === undefined ? [] : [['Mcp-Name', decoded(headers.name), params.get(named)] as const]),
  ];
  for (const [header, inHeader, inMessage] of pairs) {
    if (inHeader === undefined) throw new RpcError(HEADER_MISMATCH, `The header ${header} is missing.`, 'malformed');
    if (inHeader !== inMessage) throw new RpcError(HEADER_MISMATCH, `The header ${header} and the message differ.`, 'malformed');
  }
}

const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Clients encode a value that a header cannot hold. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = BASE64.exec(value ?? '') ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
