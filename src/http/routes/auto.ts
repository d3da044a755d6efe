/** The Auto REST API: paths of both forms, and the four methods. */
import { UNRESTRICTED } from '../../auto/access.ts';
import type { Target } from '../../auto/attempt.ts';
import type { Engine } from '../../engines/engine.ts';
import type { Engines } from '../../engines/registry.ts';
import { apiError } from '../../errors.ts';
import { locateDatabase } from '../../model/database-name.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { detached } from '../../util/detached.ts';
import { after, type MaybePromise } from '../../util/maybe-promise.ts';
import { AutoReads } from '../auto-reads.ts';
import { answerAuto, PARSERS, type Parse } from '../auto-request.ts';
import type { Exchange } from '../exchange.ts';
import {
  checkBodyType,
  checkPath,
  DEMANDS,
  enterSpace,
  type Handler,
  JSON_TYPES,
  pathSegments,
  type Route,
  type Services,
} from '../route.ts';

interface AutoPath {
  readonly abbreviations: readonly [string, string] | undefined;
  readonly type: string;
  readonly database: string;
  readonly table: string;
}

const MOST_PATHS = 10_000;
/** A longer one is taken apart each time: nobody may fill the memory with paths. */
const LONGEST_KEPT = 512;

/** Paths come again and again: each is taken apart once. */
class AutoPaths {
  readonly #start: number;
  readonly #known = new BoundedMap<string, AutoPath>(MOST_PATHS);

  constructor(start: number) {
    this.#start = start;
  }

  parse(path: string): AutoPath {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    if (path.length > LONGEST_KEPT) return parsePath(path, this.#start);
    const own = detached(path);
    const parsed = parsePath(own, this.#start);
    this.#known.set(own, parsed);
    return parsed;
  }
}

/** Segments behind the prefix: three, or five with the abbreviations of org and project. */
function parsePath(path: string, start: number): AutoPath {
  const segments = pathSegments(path, start);
  const { length } = segments;
  if (length !== 3 && length !== 5) throw apiError('unknown_path');
  const [first = '', second = ''] = segments;
  return {
    abbreviations: length === 5 ? [first, second] : undefined,
    type: segments[length - 3] ?? '',
    database: segments[length - 2] ?? '',
    table: segments[length - 1] ?? '',
  };
}

function engineOf(engines: Engines, type: string): Engine {
  const engine = engines.find(type);
  if (engine !== undefined) return engine;
  throw apiError(engines.isAnnounced(type) ? 'path_db_type_announced' : 'path_db_type_unknown', type, engines.types);
}

export function autoRoutes(services: Services): readonly Route[] {
  const prefix = `/${services.config.pathPrefix}/api/rest/auto/v1/`;
  const paths = new AutoPaths(prefix.length);
  const auto = {
    auto: services.auto,
    reads: new AutoReads(services.auto, services.observer),
    maxPageSize: services.config.maxPageSize,
  };

  const target = (exchange: Exchange): MaybePromise<Target> => {
    const path = paths.parse(exchange.path);
    return after(enterSpace(services, exchange, DEMANDS.auto), ({ context }): Target => {
      if (path.abbreviations !== undefined) checkPath(context, ...path.abbreviations);
      const { entry, schema } = locateDatabase(context, engineOf(services.engines, path.type), path.database);
      if (path.table === '') throw apiError('table_unknown', '');
      return { entry, schema, table: path.table, requestId: exchange.requestId, signal: exchange, access: UNRESTRICTED };
    });
  };

  const answer =
    (parse: Parse): Handler =>
    async (exchange) => {
      const found = target(exchange);
      await answerAuto(exchange, found instanceof Promise ? await found : found, parse, auto);
    };

  return [
    {
      path: `${prefix}*`,
      screen: (exchange) =>
        after(target(exchange), () => {
          if (exchange.method === 'POST') checkBodyType(exchange, JSON_TYPES);
        }),
      methods: { GET: answer(PARSERS.GET), POST: answer(PARSERS.POST), PUT: answer(PARSERS.PUT), DELETE: answer(PARSERS.DELETE) },
    },
  ];
}
