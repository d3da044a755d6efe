/** Management of apps: create, replace, check, read, list, delete, copy, history and revert. */

import {
  APP_AUTHORS,
  type AppAnswer,
  appHistory,
  appRevision,
  checkApp,
  deleteApp,
  describeApp,
  describeList,
  documentOf,
  listApps,
  putApp,
  readableApp,
  revertApp,
} from '../../apps/apps.ts';
import type { SpaceParts } from '../../apps/check/space.ts';
import { copyApps } from '../../apps/copy.ts';
import { MAX_APP_BYTES } from '../../apps/document/document.ts';
import type { AppText } from '../../apps/validate.ts';
import { DEMANDS } from '../../auth/caller.ts';
import { apiError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { audit, storeFor } from '../audit.ts';
import { enterSpace, type InSpace, requireRole } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { JSON_TYPES, jsonBody, mediaType, textBody, YAML_TYPES } from '../request-body.ts';
import { formatOf } from '../request-url.ts';
import { sendBytes, sendValue } from '../response/respond.ts';
import type { Handler, Route, Services } from '../route.ts';
import { appPageRoutes } from './app-pages.ts';

const TYPES = [...YAML_TYPES, ...JSON_TYPES];

export function appRoutes(services: Services): readonly Route[] {
  const { store, config } = services;
  if (config.apps === 'off') return [];
  const base = `/${config.pathPrefix}/app/v1`;
  const enter = (exchange: Exchange) => enterSpace(services, exchange, DEMANDS.apps);
  const partsOf = ({ caller, context }: InSpace, changed = store): SpaceParts => ({
    ...services.apps,
    store: changed,
    scope: caller,
    context,
  });

  const enterAuthor = async (exchange: Exchange): Promise<InSpace> => {
    const at = await enter(exchange);
    requireRole(at.caller, ...APP_AUTHORS);
    return at;
  };

  const readWith =
    (
      enterAs: (exchange: Exchange) => InSpace | Promise<InSpace>,
      work: (exchange: Exchange, at: InSpace) => Promise<PlainValue>,
    ): Handler =>
    async (exchange) => {
      const at = await enterAs(exchange);
      const format = formatOf(exchange.parameter('format'));
      sendValue(exchange, 200, format, await work(exchange, at));
    };

  const changeWith =
    (action: string, work: (exchange: Exchange, at: InSpace, changed: Store) => Promise<AppAnswer>): Handler =>
    async (exchange) => {
      const at = await enterAuthor(exchange);
      const format = formatOf(exchange.parameter('format'));
      const { status, body, object } = await work(exchange, at, storeFor(services, exchange, at.caller));
      audit(services, exchange, at.caller, { action, status, object });
      sendValue(exchange, status, format, body);
    };

  const methods: Route['methods'] = {
    POST: changeWith('app.put', (exchange, at, changed) => putApp(at.caller, partsOf(at, changed), textOf(exchange))),
    DELETE: changeWith('app.delete', (exchange, { caller }, changed) => deleteApp(changed, caller, exchange.required('app'))),
  };

  return [
    { path: base, methods, precheck: enterAuthor },
    { path: `${base}/`, methods, precheck: enterAuthor },
    {
      path: `${base}/check`,
      precheck: enterAuthor,
      methods: { POST: readWith(enterAuthor, (exchange, at) => checkApp(partsOf(at), textOf(exchange))) },
    },
    {
      path: `${base}/detail`,
      methods: {
        async GET(exchange) {
          const { caller } = await enter(exchange);
          const name = exchange.parameter('format') ?? 'json';
          if (name !== 'json' && name !== 'yaml') throw apiError('app_format', name);
          const format = formatOf(name);
          const record = await readableApp(store, caller, exchange.required('app'));
          if (name === 'json') sendValue(exchange, 200, format, describeApp(record));
          else if (record.source === null) sendValue(exchange, 200, format, documentOf(record));
          else sendBytes(exchange, 200, format.contentType, Buffer.from(record.source));
        },
      },
    },
    {
      path: `${base}/list`,
      methods: { GET: readWith(enter, async (_, { caller }) => describeList(await listApps(store, caller))) },
    },
    {
      path: `${base}/space/copy`,
      precheck: enterAuthor,
      methods: {
        PUT: changeWith('app.copy', (exchange, { caller, context }, changed) =>
          copyApps(caller, { ...services.apps, store: changed }, context, jsonBody(exchange)),
        ),
      },
    },
    {
      path: `${base}/history`,
      methods: {
        GET: readWith(enterAuthor, (exchange, { caller }) => {
          const app = exchange.required('app');
          const revision = exchange.parameter('revision_id');
          return revision === undefined ? appHistory(store, caller, app) : appRevision(store, caller, app, revision);
        }),
      },
    },
    {
      path: `${base}/revert`,
      precheck: enterAuthor,
      methods: {
        PUT: changeWith('app.revert', (exchange, at, changed) =>
          revertApp(at.caller, partsOf(at, changed), exchange.required('app'), exchange.required('revision_id')),
        ),
      },
    },
    ...appPageRoutes(services, base),
  ];
}

function textOf(exchange: Exchange): AppText {
  const text = textBody(exchange, TYPES, MAX_APP_BYTES);
  return { text, type: mediaType(exchange.header('content-type') ?? '') === JSON_TYPES[0] ? 'json' : 'yaml' };
}
