/** The audit records of the caller's project, or with the server key those of the instance. */
import { DEMANDS } from '../../auth/caller.ts';
import { listAudit } from '../../manage/audit.ts';
import { plainDocument } from '../../util/json/plain-document.ts';
import { identify } from '../enter.ts';
import { formatOf } from '../request-url.ts';
import { sendValue } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';

export function auditRoutes(services: Services): readonly Route[] {
  const { store, config } = services;
  return [
    {
      path: `/${config.pathPrefix}/system/api/v1/audit`,
      methods: {
        async GET(exchange) {
          const caller = await identify(services, exchange, DEMANDS.system);
          const format = formatOf(exchange.parameter('format'));
          const query = {
            from: exchange.parameter('from'),
            to: exchange.parameter('to'),
            userId: exchange.parameter('user_id'),
            action: exchange.parameter('action'),
            object: exchange.parameter('object'),
            pg: exchange.parameter('pg'),
            ps: exchange.parameter('ps'),
          };
          const { records, total } = await listAudit(store, caller, query, config.maxPageSize);
          sendValue(exchange, 200, format, plainDocument(records), ['X-Total-Count', String(total)]);
        },
      },
    },
  ];
}
