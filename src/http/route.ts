/**
 * What a route is, what the handlers share, and the checks before each of them. A handler answers an Exchange; whatever it throws becomes an
 * error answer in one place (server.ts).
 */
import { type Authenticator, DEMANDS, type Demand } from '../auth/caller.ts';
import type { Auto } from '../auto/execute/executor.ts';
import type { Config } from '../config.ts';
import type { CallServices } from '../custom/call/call.ts';
import type { Describer } from '../describe/describer.ts';
import type { DocumentCache } from '../describe/documents/document-cache.ts';
import type { Probe } from '../engines/contract/engine.ts';
import type { Engines } from '../engines/registry.ts';
import { apiError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { formatByName } from '../formats/index.ts';
import type { Metadata } from '../manage/metadata.ts';
import type { Caller, SpaceCaller } from '../model/caller.ts';
import type { Entry } from '../model/entry.ts';
import { inSpace, type ProjectContext } from '../model/project.ts';
import type { Observer } from '../observe.ts';
import type { GrantBook } from '../personas/grants.ts';
import type { CheckPersona } from '../personas/personas.ts';
import type { Store } from '../store/store.ts';
import type { MemoryBudget } from '../util/bytes/memory-lease.ts';
import { after, type MaybePromise } from '../util/concurrency/maybe-promise.ts';
import { JsonDepthError, JsonError, parseJson } from '../util/json/json.ts';
import type { PlainValue } from '../util/text/decimal.ts';
import { BadEncoding, decodePercent } from '../util/text/query.ts';
import type { Exchange } from './exchange.ts';

export { DEMANDS };

/** Everything that handlers use, made once in app.ts. */
export interface Services {
  readonly config: Config;
  readonly store: Store;
  readonly engines: Engines;
  readonly authenticator: Authenticator;
  readonly auto: Auto;
  readonly calls: CallServices;
  readonly metadata: Metadata;
  /** What a caller may do, and the documents that are made of it. */
  readonly describer: Describer;
  readonly documents: DocumentCache;
  /** The memory of inputs and rows that calls hold. */
  readonly memory: MemoryBudget;
  /** Throws when a database host may not be dialled. */
  readonly checkHost: (host: string) => Promise<void>;
  /** Opens a connection to a database and asks for its version. */
  readonly probe: (entry: Entry) => Promise<Probe>;
  /** What the databases of a project say against a persona. */
  readonly grants: GrantBook;
  readonly checkPersona: (context: ProjectContext) => CheckPersona;
  readonly observer: Observer;
  /** Of the package. */
  readonly version: string;
  /** False while the service shuts down. */
  ready(): boolean;
}

export type Handler = (exchange: Exchange) => void | Promise<void>;
export type HttpMethod = 'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  /** The whole path, `…/*` for everything below it, or `/:a/:b/*` for any path with these segments. Also the label in logs and metrics. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<HttpMethod, Handler>>>;
  /** Health and metrics need no gateway secret, and are served even at the connection limit. They take no body that has to be waited for. */
  readonly open?: boolean;
  /** Checks everything that does not depend on the body before the body is read. Throws the same errors as the handler. */
  readonly screen?: (exchange: Exchange) => MaybePromise<unknown>;
}

/** Finds the caller and notes it for the log. */
export function identify(services: Services, exchange: Exchange, demand: Demand): MaybePromise<Caller> {
  const { store, authenticator } = services;
  const found = after(store.refresh(), () => authenticator.identify(exchange.headers, exchange.parameter('pwt'), exchange.right, demand));
  return after(found, (caller) => {
    exchange.caller = caller;
    return caller;
  });
}

/** The caller's project with everything registered in it. A space must belong to it. */
export function projectOf(services: Services, caller: Caller): MaybePromise<ProjectContext> {
  const { orgId = '', projectId = '', spaceId } = caller;
  return after(services.store.projectContext(orgId, projectId), (context) => {
    if (context === undefined) return refuseProject(services, orgId);
    if (spaceId !== undefined && !context.spaces.has(spaceId)) throw apiError('space_unknown');
    return inSpace(context, spaceId);
  });
}

function refuseProject(services: Services, orgId: string): MaybePromise<never> {
  return after(services.store.organization(orgId), (org) => {
    throw org === undefined ? apiError('org_unknown') : apiError('project_unknown');
  });
}

export interface InSpace {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
}

/** For endpoints that require all five headers. */
export function enterSpace(services: Services, exchange: Exchange, demand: Demand): MaybePromise<InSpace> {
  return after(identify(services, exchange, demand), (caller) =>
    after(projectOf(services, caller), (context): InSpace => ({ caller: caller as SpaceCaller, context })),
  );
}

export function checkPath(context: ProjectContext, orgAbbreviation: string, projectAbbreviation: string): void {
  if (context.org.abbreviation !== orgAbbreviation || context.project.abbreviation !== projectAbbreviation)
    throw apiError('path_not_yours');
}

export function requireRole(caller: Caller, ...roles: readonly string[]): void {
  if (!roles.some((role) => caller.roles.has(role))) throw apiError('role_needed', roles.join(', '));
}

export function formatOf(name: string | undefined): Format {
  const format = formatByName(name ?? 'json');
  if (format === undefined) throw apiError('unknown_format', name ?? '');
  return format;
}

const MAX_DEPTH = 64;

/** A media type without its parameters. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function checkEncoding(exchange: Exchange): void {
  const encoding = exchange.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity') throw apiError('content_encoding');
}

/** Is the body of one of these types, or of no declared type? */
export function checkBodyType(exchange: Exchange, types: readonly string[]): void {
  checkEncoding(exchange);
  const declared = exchange.header('content-type');
  if (declared === undefined || types.includes(declared)) return;
  if (!types.includes(mediaType(declared))) throw apiError('wrong_content_type', types[0] ?? '');
}

export const JSON_TYPES: readonly string[] = ['application/json'];
export const FORM_TYPES: readonly string[] = ['application/x-www-form-urlencoded'];

/** The bytes of the body, which must be of one of these types or of no declared type. */
export function bodyOf(exchange: Exchange, types: readonly string[]): Buffer {
  checkBodyType(exchange, types);
  return exchange.body ?? Buffer.alloc(0);
}

/** Documents of the management APIs are read at once. None needs to be larger. */
const MOST_DOCUMENT_BYTES = 1024 * 1024;

export function jsonBody(exchange: Exchange): PlainValue {
  const body = bodyOf(exchange, JSON_TYPES);
  if (body.length > MOST_DOCUMENT_BYTES) throw apiError('body_too_large', String(MOST_DOCUMENT_BYTES));
  try {
    return parseJson(body, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof JsonDepthError) throw apiError('body_too_deep', String(MAX_DEPTH));
    if (error instanceof JsonError) throw apiError('body_not_json', error.message);
    throw error;
  }
}

/** The segments of a path, starting at an offset. Each is decoded by itself, so that an encoded slash stays part of it. */
export function pathSegments(path: string, start: number): readonly string[] {
  const segments = path.slice(start).split('/');
  return path.includes('%') ? segments.map(decodeSegment) : segments;
}

function decodeSegment(text: string): string {
  try {
    return decodePercent(text);
  } catch (error) {
    if (error instanceof BadEncoding) throw apiError('bad_url');
    throw error;
  }
}
