/**
 * Probes and metrics for orchestrators and scrapers. No headers are required, and no tenant data is
 * returned.
 */
import { apiError } from '../../errors.ts';
import { METRICS_TYPE } from '../../observe/metrics.ts';
import { sendBytes, sendDone } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';

export function healthRoutes(services: Services): readonly Route[] {
  return [
    { path: '/healthz', isProbe: true, methods: { GET: (exchange) => sendDone(exchange, 200, 'The process is alive.') } },
    {
      path: '/readyz',
      isProbe: true,
      methods: {
        async GET(exchange) {
          if (!services.ready()) throw apiError('shutting_down');
          await services.store.ping();
          sendDone(exchange, 200, 'The service is ready.');
        },
      },
    },
    {
      path: '/metrics',
      isProbe: true,
      methods: {
        async GET(exchange) {
          sendBytes(exchange, 200, METRICS_TYPE, Buffer.from(await services.observer.metrics()));
        },
      },
    },
  ];
}
