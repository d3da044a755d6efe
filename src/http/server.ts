/**
 * Takes a request from the wire to its handler. The only place where an error becomes an answer. Handlers receive bodies as bytes and queries
 * as raw text; nothing that a client sent is printed.
 */
import { ApiError, apiError } from '../errors.ts';
import { type HttpReply, Listener, type RejectReason, type RequestHead } from '../http1/index.ts';
import type { Lease } from '../util/bytes/buffer-pool.ts';
import type { MaybePromise } from '../util/concurrency/maybe-promise.ts';
import { lineForLog } from '../util/text/redact-error.ts';
import { Exchange, pathOf } from './exchange.ts';
import { sendError } from './respond.ts';
import type { Handler, HttpMethod, Route, Services } from './route.ts';
import { Router } from './router.ts';
import { limitWaiting } from './slow-readers.ts';
import { limitSpools } from './spool.ts';

const METHODS: readonly HttpMethod[] = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function buildServer(services: Services, routes: readonly Route[]): Listener {
  const router = new Router(routes);
  const { slowReaderSecs, spoolMb } = services.config;
  limitWaiting(slowReaderSecs * 1000);
  limitSpools(spoolMb * 1024 * 1024);
  const server = new Listener(
    {
      request: (head, body, reply) => {
        if (serve(services, router, head, body, reply) === 'work') server.lastRequestAt = performance.now();
      },
      rejected: (head, refusal, reply) => refuse(services, head, refusal, reply),
      precheck: (head, reply) => screen(services, router, head, reply),
      isExempt: (head) => router.find(pathOf(head))?.open === true,
      overloaded: (reason) => services.observer.overloaded(reason),
    },
    services.config,
  );
  services.observer.watchLoad(() => server.load);
  return server;
}

/** Says whether the request is work, or a probe. */
function serve(services: Services, router: Router, head: RequestHead, body: Buffer | Lease, reply: HttpReply): 'work' | 'probe' {
  const exchange = new Exchange(head, reply, body.length === 0 ? undefined : body);
  reply.onFinished = () => {
    if (reply.isLost) exchange.abort();
    logRequest(services, exchange);
  };
  const route = router.find(exchange.path);
  void run(services, exchange, route);
  return route?.open === true ? 'probe' : 'work';
}

async function run(services: Services, exchange: Exchange, route: Route | undefined): Promise<void> {
  try {
    await enter(services, exchange, route)(exchange);
  } catch (error) {
    answerError(services, exchange, error);
  }
  // A handler that has returned keeps nothing of the body.
  exchange.releaseBody();
}

/** What every request must pass, whatever its route: path, method, gateway. */
function enter(services: Services, exchange: Exchange, route: Route | undefined): Handler {
  exchange.checkHeaders();
  if (route === undefined) throw apiError('unknown_path');
  exchange.route = route.path;
  const handler = handlerOf(route, exchange.method);
  if (handler === undefined) throw apiError('method_not_allowed', exchange.method, allowed(route));
  if (route.open !== true) services.authenticator.checkGateway(exchange.headers);
  return handler;
}

/** Refuses what can be refused without the body, before the body is read. */
function screen(services: Services, router: Router, head: RequestHead, reply: HttpReply): MaybePromise<(() => void) | undefined> {
  const exchange = new Exchange(head, reply, undefined);
  const turnAway = (error: unknown) => (): void => {
    reply.onFinished = () => logRequest(services, exchange);
    answerError(services, exchange, error);
  };
  try {
    const route = router.find(exchange.path);
    enter(services, exchange, route);
    if (route?.open === true) throw apiError('body_too_large', '0');
    const screened = route?.screen?.(exchange);
    return screened instanceof Promise ? screened.then(() => undefined, turnAway) : undefined;
  } catch (error) {
    return turnAway(error);
  }
}

/** HTTP methods are upper case, so none is a property that every object has. */
function handlerOf(route: Route, method: string): Handler | undefined {
  return route.methods[(method === 'HEAD' ? 'GET' : method) as HttpMethod];
}

function allowed(route: Route): string {
  return METHODS.filter((method) => route.methods[method] !== undefined).join(', ');
}

/** The only place where an error becomes an answer. */
function answerError(services: Services, exchange: Exchange, error: unknown): void {
  const known = error instanceof ApiError ? error : apiError('internal', exchange.requestId);
  exchange.error = known.key;
  if (known.isExternal) exchange.reason = lineForLog(known.cause);
  else exchange.reason = known.loggable()['place'];
  // A client that has left is not a failure of the service.
  if (known.status >= 500 && !exchange.aborted) services.observer.emit({ kind: 'failure', requestId: exchange.requestId, error });
  sendError(exchange, known);
}

function logRequest(services: Services, exchange: Exchange): void {
  const { caller } = exchange;
  services.observer.emit({
    kind: 'request',
    requestId: exchange.requestId,
    method: exchange.method,
    route: exchange.route,
    status: exchange.reply.status,
    ms: performance.now() - exchange.started,
    caller,
    error: exchange.error ?? howItEnded(exchange),
    reason: exchange.reason,
    work: exchange,
    bytes: exchange.reply.bytes,
  });
}

/** What ended the answer other than the service; undefined when the client has received everything. */
function howItEnded({ aborted, reply }: Exchange): string | undefined {
  if (reply.isStalled) return 'stalled';
  return aborted || reply.isLost ? 'client_gone' : undefined;
}

/** Answers what never reaches a handler. */
const REFUSALS: Readonly<Record<RejectReason, (services: Services) => ApiError>> = {
  malformed: () => apiError('malformed_request'),
  head_too_large: () => apiError('headers_too_large'),
  target_too_long: () => apiError('url_too_long'),
  body_too_large: (services) => apiError('body_too_large', String(services.config.maxBodyBytes)),
  bodies_full: (services) => {
    services.observer.overloaded('bodies');
    return apiError('too_many_bodies');
  },
  expectation: () => apiError('expectation_unknown'),
  overloaded: () => apiError('too_many_connections'),
  too_slow: () => apiError('request_too_slow'),
};

function refuse(services: Services, head: RequestHead, refusal: RejectReason, reply: HttpReply): void {
  const exchange = new Exchange(head, reply, undefined);
  exchange.route = 'refused';
  reply.onFinished = () => logRequest(services, exchange);
  answerError(services, exchange, REFUSALS[refusal](services));
}
