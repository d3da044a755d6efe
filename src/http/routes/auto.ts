/** The Auto REST API: paths of tables and of rows, each in both forms, and their methods. */

import { DEMANDS } from '../../auth/caller.ts';
import type { Target } from '../../auto/execute/executor.ts';
import type { Engine } from '../../engines/contract/engine.ts';
import type { Engines } from '../../engines/registry.ts';
import { apiError } from '../../errors.ts';
import { locateDatabase } from '../../model/database-name.ts';
import { accessTo } from '../../personas/access.ts';
import { effectivePersonaOf } from '../../personas/effective-persona.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { WorkSubject } from '../../util/concurrency/work-meter.ts';
import { detached } from '../../util/text/detached.ts';
import { answerAuto, PARSERS, type Parse, type ParseRow, ROW_PARSERS } from '../auto-request.ts';
import { checkPath, enterSpace } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { checkBodyType, FORM_TYPES, JSON_TYPES } from '../request-body.ts';
import { pathSegments } from '../request-url.ts';
import type { Handler, Route, Services } from '../route.ts';
import { AutoReads } from '../shared-reads.ts';

interface AutoPath {
  readonly abbreviations: readonly [string, string] | undefined;
  readonly type: string;
  readonly database: string;
  readonly table: string;
  /** Segment after the table's name, decoded. */
  readonly key: string | undefined;
  readonly subject: WorkSubject;
}

const MAX_PATHS = 10_000;
/** Longer paths are not remembered, so that clients cannot fill the memory with them. */
const MAX_REMEMBERED_LENGTH = 512;

/** Remembers parsed paths: most requests repeat them. */
class AutoPaths {
  readonly #start: number;
  readonly #known = new BoundedMap<string, AutoPath>(MAX_PATHS);

  constructor(start: number) {
    this.#start = start;
  }

  parse(path: string): AutoPath {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const segments = countSegments(path, this.#start);
    if (segments === 4 || segments === 6) return this.#parseRow(path);
    if (path.length > MAX_REMEMBERED_LENGTH) return parsePath(path, this.#start);
    const own = detached(path);
    const parsed = parsePath(own, this.#start);
    this.#known.set(own, parsed);
    return parsed;
  }

  /** Parses the path of a row. Only the table's part is remembered. */
  #parseRow(path: string): AutoPath {
    const end = path.lastIndexOf('/');
    const [key = ''] = pathSegments(path, end + 1);
    if (key === '') throw apiError('unknown_path');
    return { ...this.parse(path.slice(0, end)), key };
  }
}

function countSegments(path: string, start: number): number {
  let count = 1;
  for (let at = path.indexOf('/', start); at >= 0; at = path.indexOf('/', at + 1)) count++;
  return count;
}

/**
 * Parses the segments after the prefix: three, or five with the abbreviations of org and project.
 */
function parsePath(path: string, start: number): AutoPath {
  const segments = pathSegments(path, start);
  const { length } = segments;
  if (length !== 3 && length !== 5) throw apiError('unknown_path');
  const [first = '', second = ''] = segments;
  const [type = '', database = '', table = ''] = segments.slice(length - 3);
  const subject = new WorkSubject({ database: `${type}/${database}`, table });
  return { abbreviations: length === 5 ? [first, second] : undefined, type, database, table, key: undefined, subject };
}

function engineOf(engines: Engines, type: string): Engine {
  const engine = engines.find(type);
  if (engine !== undefined) return engine;
  throw apiError(engines.isAnnounced(type) ? 'path_db_type_announced' : 'path_db_type_unknown', type, engines.types);
}

/**
 * `true` for POST …/table/query: a read with its query as the body, for clients that cannot send
 * QUERY.
 */
const isQuery = ({ method }: Exchange, { key }: AutoPath): boolean => method === 'POST' && key === 'query';

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PATCH']);

export function autoRoutes(services: Services): readonly Route[] {
  const prefix = `/${services.config.pathPrefix}/api/rest/auto/v1/`;
  const paths = new AutoPaths(prefix.length);
  const auto = {
    auto: services.auto,
    reads: new AutoReads(services.auto, services.observer),
    maxPageSize: services.config.maxPageSize,
  };

  const target = (exchange: Exchange, path: AutoPath): MaybePromise<Target> => {
    exchange.isReading = isQuery(exchange, path);
    return after(enterSpace(services, exchange, DEMANDS.auto), ({ caller, context }): MaybePromise<Target> => {
      if (path.abbreviations !== undefined) checkPath(context, ...path.abbreviations);
      const { entry, schema } = locateDatabase(context, engineOf(services.engines, path.type), path.database);
      if (path.table === '') throw apiError('table_unknown', '');
      exchange.subject = path.subject;
      return after(
        effectivePersonaOf(services.store, caller, context),
        (effective): Target => ({
          entry,
          schema,
          table: path.table,
          requestId: exchange.requestId,
          signal: exchange,
          meter: exchange,
          access: accessTo(services.grants, effective, caller, context, entry, schema, path.table),
          readsOnly: exchange.isReadOnly,
          countsDryRuns: exchange.countsDryRuns,
        }),
      );
    });
  };

  /** Not an async function: that would cost every request another promise and two microtasks. */
  const answer =
    (parseTable: Parse, parseRow: ParseRow | undefined): Handler =>
    (exchange) => {
      const path = paths.parse(exchange.path);
      return after(target(exchange, path), (at) => {
        const { key } = path;
        if (key === undefined) return answerAuto(exchange, at, parseTable, auto);
        if (exchange.isReading) return answerAuto(exchange, at, PARSERS.QUERY, auto);
        if (parseRow === undefined) throw apiError('method_not_allowed', exchange.method, Object.keys(ROW_PARSERS).join(', '));
        const row = { key, ifMatch: exchange.listHeader('if-match'), ifNoneMatch: exchange.listHeader('if-none-match') };
        return answerAuto(exchange, at, () => parseRow(exchange, row, auto), auto);
      });
    };

  return [
    {
      path: `${prefix}*`,
      precheck: (exchange) =>
        after(target(exchange, paths.parse(exchange.path)), () => {
          const isForm = exchange.method === 'QUERY' || exchange.isReading;
          if (isForm || WITH_BODY.has(exchange.method)) checkBodyType(exchange, isForm ? FORM_TYPES : JSON_TYPES);
        }),
      methods: {
        GET: answer(PARSERS.GET, ROW_PARSERS.GET),
        QUERY: answer(PARSERS.QUERY, undefined),
        POST: answer(PARSERS.POST, undefined),
        PUT: answer(PARSERS.PUT, ROW_PARSERS.PUT),
        PATCH: answer(PARSERS.PATCH, ROW_PARSERS.PATCH),
        DELETE: answer(PARSERS.DELETE, ROW_PARSERS.DELETE),
      },
    },
  ];
}
