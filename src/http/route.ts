/** The type of routes, and the services that their handlers use. */
import type { SpaceServices } from '../apps/check/space.ts';
import type { Authenticator } from '../auth/caller.ts';
import type { Auto } from '../auto/execute/executor.ts';
import type { Config } from '../config.ts';
import type { CallServices } from '../custom/call/call.ts';
import type { Describer } from '../describe/describer.ts';
import type { DocumentCache } from '../describe/documents/document-cache.ts';
import type { Probe } from '../engines/contract/engine.ts';
import type { Engines } from '../engines/registry.ts';
import type { ApiError } from '../errors.ts';
import type { Metadata } from '../manage/metadata.ts';
import type { Entry } from '../model/entry.ts';
import type { ProjectContext } from '../model/project.ts';
import type { Observer } from '../observe/observer.ts';
import type { GrantBook } from '../personas/grants.ts';
import type { CheckPersona } from '../personas/personas.ts';
import type { Store } from '../store/store.ts';
import type { MemoryBudget } from '../util/bytes/memory-lease.ts';
import type { MaybePromise } from '../util/concurrency/maybe-promise.ts';
import type { Exchange, ResponseResources } from './exchange.ts';

/** Everything that handlers use, made once in app.ts. */
export interface Services {
  readonly config: Config;
  readonly store: Store;
  readonly engines: Engines;
  readonly authenticator: Authenticator;
  readonly auto: Auto;
  readonly calls: CallServices;
  readonly metadata: Metadata;
  /** Describes what a caller may do. */
  readonly describer: Describer;
  /** The documents that are made of descriptions. */
  readonly documents: DocumentCache;
  /** Memory for the inputs and rows of Custom calls. */
  readonly memory: MemoryBudget;
  readonly responses: ResponseResources;
  /** Rejects if connections to a database host are not allowed. */
  readonly checkHost: (host: string) => Promise<void>;
  /** Connects to a database and reads its version. */
  readonly probe: (entry: Entry) => Promise<Probe>;
  /** Rights of personas, as far as they depend on the tables of a project. */
  readonly grants: GrantBook;
  readonly checkPersona: (context: ProjectContext) => CheckPersona;
  /** Catalogues and records that apps are compared with. */
  readonly apps: SpaceServices;
  readonly observer: Observer;
  /** Version of the package. */
  readonly version: string;
  /** `false` while the service shuts down. */
  ready(): boolean;
}

/** Answers an exchange. An error that it throws becomes an error response in server.ts. */
export type Handler = (exchange: Exchange) => void | Promise<void>;
export type HttpMethod = 'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  /**
   * A whole path, `…/*` for everything below it, or `/:a/:b/*` for any path with these segments.
   * Also the label in logs and metrics.
   */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<HttpMethod, Handler>>>;
  /**
   * `true` for health and metrics: no gateway secret is needed, and they are served even if the
   * service is full. They accept no body that does not arrive with its head.
   */
  readonly isProbe?: boolean;
  /**
   * Checks all that does not depend on the body, before it is read. Throws the same errors as the
   * handler.
   */
  readonly precheck?: (exchange: Exchange) => MaybePromise<unknown>;
  /** Sends errors in another form than JSON. */
  readonly sendError?: (exchange: Exchange, error: ApiError) => void;
}
