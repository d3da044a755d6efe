/** Wires the settings into a service that listens and closes. Contains no logic of its own. */
import { setTimeout as wait } from 'node:timers/promises';
import { Authenticator } from './auth/caller.ts';
import { Auto } from './auto/execute/executor.ts';
import type { Config } from './config.ts';
import type { CallServices } from './custom/call/call.ts';
import { CachedCalls } from './custom/call/call-cache.ts';
import { EndpointResolver } from './custom/call/endpoint-resolver.ts';
import { MemoryCache, type ResponseCache } from './custom/call/memory-cache.ts';
import { StepRunner } from './custom/call/step-runner.ts';
import { VersionFailures } from './custom/call/version-failures.ts';
import { Describer } from './describe/describer.ts';
import { DocumentCache } from './describe/documents/document-cache.ts';
import { SchemaSnapshots } from './describe/schema-snapshots.ts';
import { ENGINES } from './engines/index.ts';
import { Connections } from './engines/pool/connections.ts';
import { HostDenied, HostPolicy } from './engines/pool/hosts.ts';
import type { Engines } from './engines/registry.ts';
import { CatalogCache } from './engines/schema/catalog-cache.ts';
import { RelationCache } from './engines/schema/relation-cache.ts';
import { apiError } from './errors.ts';
import { SlowReaders } from './http/response/slow-readers.ts';
import { Spools } from './http/response/spool.ts';
import type { Services } from './http/route.ts';
import { allRoutes } from './http/routes/index.ts';
import { buildServer } from './http/server.ts';
import type { Listener } from './http1/index.ts';
import { closeSandbox } from './lang/sandbox/index.ts';
import { Metadata } from './manage/metadata.ts';
import type { ProjectContext } from './model/project.ts';
import { Observer } from './observe/observer.ts';
import { checkPersona } from './personas/check.ts';
import { CursorSeals } from './personas/cursor-seal.ts';
import { GrantBook } from './personas/grants.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { dropFreeBuffers } from './util/bytes/buffer-pool.ts';
import { MemoryBudget } from './util/bytes/memory-lease.ts';
import { VERSION } from './version.ts';

export interface Service {
  readonly url: string;
  readonly store: Store;
  readonly observer: Observer;
  /** Stops accepting, waits at most `graceSecs` for running requests, and closes everything. */
  close(graceSecs: number): Promise<void>;
  /** Aborts running requests, so that `close` can finish. */
  breakOff(): void;
}

const MEBIBYTE = 1024 * 1024;

/** Time for the requests that cancel aborted statements on their servers. */
const CANCEL_MS = 300;

/** `engines`: the built-in engines, or additional ones in tests. */
export async function startService(config: Config, engines: Engines = ENGINES): Promise<Service> {
  const spools = new Spools(config.spoolMb * MEBIBYTE);
  spools.folder.removeStale();
  const hosts = new HostPolicy(config.denyHosts);
  const connections = new Connections(engines, hosts, config.maxRowBytes);
  const observer = new Observer(config.logLevel, () => connections.counts());
  const store = await openStore({
    ...(config.storeUrl === 'embedded' ? {} : { url: config.storeUrl }),
    dataDir: config.dataDir,
    keys: config.encryptionKeys,
    alone: config.workers === 1,
    staleSecs: config.staleSecs,
    auditDays: config.auditDays,
    onProblem: (message, error) => observer.emit({ kind: 'trouble', message, error }),
  });
  const catalog = new CatalogCache(connections);
  const relations = new RelationCache(connections, catalog);
  store.onChange(({ topic, key }) => {
    if (topic === 'project') void retireChanged(store, connections, catalog, key);
  });
  const cache = await openCache(config, observer);
  const seals = new CursorSeals(config.encryptionKeys);
  const memory = new MemoryBudget(config.requestMemoryMb * MEBIBYTE);
  let closing = false;
  const grants = new GrantBook(engines, (owner) => seals.for(owner));
  const calls = callServices(store, connections, observer, cache);
  const services: Services = {
    config,
    store,
    engines,
    authenticator: new Authenticator(store, config.serverKeys, config.gatewaySecret, config.userIds),
    auto: new Auto(connections, catalog, relations, memory),
    calls,
    memory,
    responses: { spools, slowReaders: new SlowReaders(config.slowReaderSecs * 1000) },
    metadata: new Metadata(connections, catalog, relations),
    describer: new Describer({
      store,
      engines,
      snapshots: new SchemaSnapshots(connections),
      grants,
      prefix: config.pathPrefix,
      maxPageSize: config.maxPageSize,
      hasApps: config.apps === 'on',
      version: VERSION,
    }),
    documents: new DocumentCache(),
    checkHost: (host) => checkHost(hosts, host),
    probe: (entry) => connections.probe(entry),
    grants,
    checkPersona: (context) => (persona, reader) => checkPersona(persona, reader, { engines, catalog, context }),
    apps: { store, engines, catalog, relations, resolver: calls.resolver },
    observer,
    version: VERSION,
    ready: () => !closing,
  };
  const server = buildServer(services, allRoutes(services));
  const idleTimer = dropBuffersWhenIdle(server);
  const closeRooms = async (): Promise<void> => {
    clearInterval(idleTimer);
    await cache.close();
    connections.close();
    closeSandbox();
    await store.close();
    spools.folder.remove();
    observer.flush();
  };
  const port = await server.listen(config.host, config.port).catch(async (error: unknown) => {
    await closeRooms();
    throw error;
  });

  let brokenOff = false;
  const close = async (graceSecs: number): Promise<void> => {
    closing = true;
    const drainMs = config.drainSecs * 1000;
    // A gateway that polls /readyz stops sending requests during the drain period. An idle server
    // skips it.
    await server.waitUntilQuiet(drainMs, () => brokenOff);
    const outcome = await server.close(graceSecs * 1000, drainMs);
    if (outcome === 'aborted' || brokenOff) await wait(CANCEL_MS);
    await closeRooms();
  };
  const breakOff = (): void => {
    brokenOff = true;
    server.abort();
  };
  return { url: urlOf(config.host, port), store, observer, close, breakOff };
}

/** Free buffers are dropped once there was no request for this time. */
const IDLE_MS = 20_000;

function dropBuffersWhenIdle(server: Listener): NodeJS.Timeout {
  const drop = (): void => {
    if (performance.now() - server.lastRequestAt > IDLE_MS) dropFreeBuffers();
  };
  return setInterval(drop, IDLE_MS / 2).unref();
}

function callServices(store: Store, connections: Connections, observer: Observer, cache: ResponseCache): CallServices {
  const runner = new StepRunner(connections);
  return {
    resolver: new EndpointResolver(store, connections.engines),
    runner,
    cached: new CachedCalls(runner, cache, observer),
    failures: new VersionFailures(store, observer),
  };
}

/** Keeps the host as it was configured: a wildcard address is not replaced. */
export function urlOf(host: string, port: string | number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Closes connections to databases that a project removed or changed. */
async function retireChanged(store: Store, connections: Connections, catalog: CatalogCache, key: string): Promise<void> {
  const [orgId = '', projectId = ''] = key.split('/');
  let context: ProjectContext | undefined;
  try {
    context = await store.projectContext(orgId, projectId);
  } catch {
    // Without the project's record, its connections stay open until they have been idle too long.
    return;
  }
  const kept = new Set(Array.from(context?.entries.values() ?? [], (entry) => entry.id));
  for (const id of connections.retire(projectId, kept)) catalog.forgetEntry(id);
}

async function checkHost(hosts: HostPolicy, host: string): Promise<void> {
  try {
    await hosts.check(host);
  } catch (error) {
    throw error instanceof HostDenied ? apiError('host_denied', host) : error;
  }
}

/** Size of the response cache of one instance. */
const CACHE_BYTES = 64 * 1024 * 1024;

async function openCache(config: Config, observer: Observer): Promise<ResponseCache> {
  if (config.redisUrl === undefined) return new MemoryCache(CACHE_BYTES);
  // Loaded on demand: the client takes a large part of the start time.
  const { RedisCache } = await import('./custom/call/redis-cache.ts');
  return new RedisCache(config.redisUrl, (error) =>
    observer.emit({ kind: 'trouble', message: 'the shared cache cannot be reached; calls go on without it', error }),
  );
}
