/** Lark modules of a space: put, list, get and delete. */

import { DEMANDS } from '../../auth/caller.ts';
import { checkModule, definitionsLoading } from '../../custom/manage/modules.ts';
import type { ManageAnswer } from '../../manage/answer.ts';
import { type CompileModule, checkModuleText, deleteModule, getModule, listModules, putModule } from '../../manage/lark-modules.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import type { Store } from '../../store/store.ts';
import { plainDocument } from '../../util/json/plain-document.ts';
import { audit, storeFor } from '../audit.ts';
import { enterSpace } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { yamlBody } from '../request-body.ts';
import { formatOf } from '../request-url.ts';
import { sendJson, sendValue } from '../response/respond.ts';
import type { Handler, Route, Services } from '../route.ts';

export function larkRoutes(services: Services): readonly Route[] {
  const { store, config } = services;
  const base = `/${config.pathPrefix}/code/v1/lark`;

  const enter = async (exchange: Exchange): Promise<SpaceCaller> => (await enterSpace(services, exchange, DEMANDS.modules)).caller;

  const changeWith =
    (action: string, work: (exchange: Exchange, caller: SpaceCaller, changed: Store) => Promise<ManageAnswer>): Handler =>
    async (exchange) => {
      const caller = await enter(exchange);
      const { status, body, object = '' } = await work(exchange, caller, storeFor(services, exchange, caller));
      audit(services, exchange, caller, { action, status, object });
      sendJson(exchange, status, body);
    };

  const compileFor =
    ({ projectId }: SpaceCaller): CompileModule =>
    (module, others) =>
      checkModule(module, others, projectId);

  const methods: Route['methods'] = {
    POST: changeWith('module.put', (exchange, caller, changed) =>
      putModule(changed, caller, yamlBody(exchange), compileFor(caller), definitionsLoading),
    ),
    async GET(exchange) {
      const caller = await enter(exchange);
      const format = formatOf(exchange.parameter('format'));
      sendValue(exchange, 200, format, plainDocument((await getModule(store, caller, exchange.parameter('module'))).body));
    },
    DELETE: changeWith('module.delete', (exchange, caller, changed) =>
      deleteModule(
        changed,
        caller,
        exchange.parameter('module'),
        definitionsLoading,
        exchange.parameter('safe') === 'true' ? 'safe' : 'always',
      ),
    ),
  };

  return [
    { path: base, methods, precheck: enter },
    { path: `${base}/`, methods, precheck: enter },
    {
      path: `${base}/check`,
      precheck: enter,
      methods: {
        async POST(exchange) {
          const caller = await enter(exchange);
          const format = formatOf(exchange.parameter('format'));
          const { body } = await checkModuleText(store, caller, yamlBody(exchange), compileFor(caller));
          sendValue(exchange, 200, format, plainDocument(body));
        },
      },
    },
    {
      path: `${base}/list`,
      methods: {
        async GET(exchange) {
          const caller = await enter(exchange);
          const format = formatOf(exchange.parameter('format'));
          sendValue(exchange, 200, format, plainDocument((await listModules(store, caller)).body));
        },
      },
    },
  ];
}
