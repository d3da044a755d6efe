/** Metadata of tables: the System API's and the users' own, which differ only in who may ask. */
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

  const ask = async (exchange: Exchange, demand: Demand) => {
    const caller = await identify(services, exchange, demand);
    const format = formatOf(exchange.parameter('format'));
    const asked = { type: exchange.required('type'), schema: exchange.required('schema'), requestId: exchange.requestId, signal: exchange };
    const context = await projectOf(services, caller);
    // Who has the server key looks after the databases.
    const effective = caller.serverKey ? undefined : await effectivePersonaOf(services.store, caller, context);
    const find: FindVisible = (located) =>
      effective === undefined ? EVERYTHING_VISIBLE : schemaVisibility(services.grants, effective, { ...located, context, caller });
    return { format, asked, context, find };
  };

  const detail = async (exchange: Exchange, demand: Demand): Promise<void> => {
    const { format, asked, context, find } = await ask(exchange, demand);
    sendValue(exchange, 200, format, await services.metadata.table(context, asked, exchange.required('table'), find));
  };

  return [
    { path: `/${pathPrefix}/system/api/v1/db/meta`, methods: { GET: (exchange) => detail(exchange, DEMANDS.systemMetadata) } },
    { path: `/${pathPrefix}/rest/meta/v1/table/detail`, methods: { GET: (exchange) => detail(exchange, DEMANDS.metadata) } },
    {
      path: `/${pathPrefix}/rest/meta/v1/table/list`,
      methods: {
        async GET(exchange) {
          const { format, asked, context, find } = await ask(exchange, DEMANDS.metadata);
          sendValue(exchange, 200, format, await services.metadata.tables(context, asked, find));
        },
      },
    },
  ];
}
