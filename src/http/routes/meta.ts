/**
 * Metadata: tables for the System API and for users, who need other rights, and the context of the
 * caller.
 */
import type { Demand } from '../../auth/caller.ts';
import { DEMANDS } from '../../auth/caller.ts';
import { describeContext } from '../../describe/caller-context.ts';
import { operationsOn, rightsOf, viewBy } from '../../describe/table-view.ts';
import type { FindVisible } from '../../manage/metadata.ts';
import type { Caller } from '../../model/caller.ts';
import type { ProjectContext } from '../../model/project.ts';
import { EVERYTHING_VISIBLE, schemaVisibility } from '../../personas/access.ts';
import { type EffectivePersona, effectivePersonaOf } from '../../personas/effective-persona.ts';
import { identify, projectOf } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { formatOf } from '../request-url.ts';
import { sendValue } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';

interface InProject {
  readonly caller: Caller;
  readonly context: ProjectContext;
  /** `undefined` for an operator with the server key, to whom no persona applies. */
  readonly effective: EffectivePersona | undefined;
}

export function metaRoutes(services: Services): readonly Route[] {
  const { config, store, grants, engines, metadata } = services;
  const system = `/${config.pathPrefix}/system/api/v1`;
  const users = `/${config.pathPrefix}/rest/meta/v1`;

  const begin = async (exchange: Exchange, demand: Demand) => {
    const caller = await identify(services, exchange, demand);
    return { caller, format: formatOf(exchange.parameter('format')) };
  };

  const enter = async (caller: Caller): Promise<InProject> => {
    const context = await projectOf(services, caller);
    return { caller, context, effective: caller.serverKey ? undefined : await effectivePersonaOf(store, caller, context) };
  };

  const queryOf = (exchange: Exchange) => ({
    type: exchange.required('type'),
    schema: exchange.required('schema'),
    requestId: exchange.requestId,
    signal: exchange,
  });

  const visibleTo =
    ({ caller, context, effective }: InProject): FindVisible =>
    (located) =>
      effective === undefined ? EVERYTHING_VISIBLE : schemaVisibility(grants, effective, { ...located, context, caller });

  /** Users also learn what they may do. */
  const describedTo = (within: InProject): FindVisible => {
    const find = visibleTo(within);
    return (located) => {
      const { caller, effective = { kind: 'unrestricted' } } = within;
      const view = viewBy(grants, effective, { ...within, ...located });
      return {
        ...find(located),
        rights: {
          operationsOn: (table, kind) => operationsOn(view, caller, located.entry, table, kind),
          rightsOn: (table) => rightsOf(view, caller, located.entry, table),
        },
      };
    };
  };

  const detail = async (exchange: Exchange, demand: Demand, find: (within: InProject) => FindVisible): Promise<void> => {
    const { caller, format } = await begin(exchange, demand);
    const query = queryOf(exchange);
    const within = await enter(caller);
    sendValue(exchange, 200, format, await metadata.table(within.context, query, exchange.required('table'), find(within)));
  };

  return [
    { path: `${system}/db/meta`, methods: { GET: (exchange) => detail(exchange, DEMANDS.systemMetadata, visibleTo) } },
    { path: `${users}/table/detail`, methods: { GET: (exchange) => detail(exchange, DEMANDS.metadata, describedTo) } },
    {
      path: `${users}/table/list`,
      methods: {
        async GET(exchange) {
          const { caller, format } = await begin(exchange, DEMANDS.metadata);
          const query = queryOf(exchange);
          const within = await enter(caller);
          sendValue(exchange, 200, format, await metadata.tables(within.context, query, describedTo(within)));
        },
      },
    },
    {
      path: `${users}/context`,
      methods: {
        async GET(exchange) {
          const { caller, format } = await begin(exchange, DEMANDS.metadata);
          const { context, effective = { kind: 'unrestricted' } } = await enter(caller);
          const { tokenHash } = exchange.headers;
          const token = tokenHash === undefined ? undefined : await store.tokenByHash(tokenHash);
          const { version } = services;
          const { maxPageSize } = config;
          sendValue(exchange, 200, format, describeContext({ caller, context, effective, token, grants, engines, version, maxPageSize }));
        },
      },
    },
  ];
}
