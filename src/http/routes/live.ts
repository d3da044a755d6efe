/** Figures of the instance, or of a token's project, while it runs: counters that only grow. */
import { DEMANDS } from '../../auth/caller.ts';
import { LATENCY_BOUNDS } from '../../observe/live.ts';
import { plainDocument } from '../../util/json/plain-document.ts';
import { identify } from '../enter.ts';
import { formatOf } from '../request-url.ts';
import { sendValue } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';

export function liveRoutes(services: Services): readonly Route[] {
  const { config, observer, version } = services;
  return [
    {
      path: `/${config.pathPrefix}/system/api/v1/live`,
      methods: {
        async GET(exchange) {
          const caller = await identify(services, exchange, DEMANDS.system);
          const format = formatOf(exchange.parameter('format'));
          const figures = await observer.live(caller.tokenId === undefined ? undefined : caller.projectId);
          const document = {
            at: new Date().toISOString(),
            started_at: figures.startedAt,
            version,
            requests: figures.requests,
            errors: figures.errors,
            latency: LATENCY_BOUNDS.map((le, index) => ({ le, count: figures.latency[index] })),
            // Without the request that asks.
            in_flight: Math.max(0, figures.inFlight - 1),
            pools: figures.pools,
            rollbacks: figures.rollbacks,
            cache: { hits: figures.hits, misses: figures.misses },
          };
          sendValue(exchange, 200, format, plainDocument(document));
        },
      },
    },
  ];
}
