/** Metadata of tables, for the System API and for users. They differ in the required rights. */
import type { Demand } from '../../auth/caller.ts';
import { DEMANDS } from '../../auth/caller.ts';
import type { FindVisible } from '../../manage/metadata.ts';
import { EVERYTHING_VISIBLE, schemaVisibility } from '../../personas/access.ts';
import { effectivePersonaOf } from '../../personas/effective-persona.ts';
import { identify, projectOf } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { formatOf } from '../request-url.ts';
import { sendValue } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';

export function metaRoutes(services: Services): readonly Route[] {
  const { pathPrefix } = services.config;

  const enter = async (exchange: Exchange, demand: Demand) => {
    const caller = await identify(services, exchange, demand);
    const format = formatOf(exchange.parameter('format'));
    const query = { type: exchange.required('type'), schema: exchange.required('schema'), requestId: exchange.requestId, signal: exchange };
    const context = await projectOf(services, caller);
    // A caller with the server key is an operator: no persona applies.
    const effective = caller.serverKey ? undefined : await effectivePersonaOf(services.store, caller, context);
    const find: FindVisible = (located) =>
      effective === undefined ? EVERYTHING_VISIBLE : schemaVisibility(services.grants, effective, { ...located, context, caller });
    return { format, query, context, find };
  };

  const detail = async (exchange: Exchange, demand: Demand): Promise<void> => {
    const { format, query, context, find } = await enter(exchange, demand);
    sendValue(exchange, 200, format, await services.metadata.table(context, query, exchange.required('table'), find));
  };

  return [
    { path: `/${pathPrefix}/system/api/v1/db/meta`, methods: { GET: (exchange) => detail(exchange, DEMANDS.systemMetadata) } },
    { path: `/${pathPrefix}/rest/meta/v1/table/detail`, methods: { GET: (exchange) => detail(exchange, DEMANDS.metadata) } },
    {
      path: `/${pathPrefix}/rest/meta/v1/table/list`,
      methods: {
        async GET(exchange) {
          const { format, query, context, find } = await enter(exchange, DEMANDS.metadata);
          sendValue(exchange, 200, format, await services.metadata.tables(context, query, find));
        },
      },
    },
  ];
}
