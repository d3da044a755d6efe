/**
 * Takes requests from the HTTP library to their handlers. The only place where an error becomes a
 * response.
 */
import { ApiError, apiError } from '../errors.ts';
import { type HttpReply, Listener, type RejectReason, type RequestHead } from '../http1/index.ts';
import type { Lease } from '../util/bytes/buffer-pool.ts';
import type { MaybePromise } from '../util/concurrency/maybe-promise.ts';
import { lineForLog } from '../util/text/redact-error.ts';
import { Exchange, pathOf } from './exchange.ts';
import { sendError } from './response/respond.ts';
import type { Handler, HttpMethod, Route, Services } from './route.ts';
import { Router } from './router.ts';
import { RunningRequests } from './running-requests.ts';

const METHODS: readonly HttpMethod[] = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function buildServer(services: Services, routes: readonly Route[]): Listener {
  const router = new Router(routes);
  const running = new RunningRequests();
  services.observer.watchRequests((projectId) => running.count(projectId));
  const listener = new Listener(
    {
      request: (head, body, reply) => {
        const route = router.find(pathOf(head));
        if (route?.isProbe !== true) listener.lastRequestAt = performance.now();
        serve(services, running, route, head, body, reply);
      },
      rejected: (head, reason, reply) => reject(services, head, reason, reply),
      precheck: (head, reply) => precheck(services, router.find(pathOf(head)), head, reply),
      isExempt: (head) => router.find(pathOf(head))?.isProbe === true,
      overloaded: (limit) => services.observer.overloaded(limit),
    },
    services.config,
  );
  services.observer.watchLoad(() => listener.load);
  return listener;
}

function serve(
  services: Services,
  running: RunningRequests,
  route: Route | undefined,
  head: RequestHead,
  body: Buffer | Lease,
  reply: HttpReply,
): void {
  const exchange = new Exchange(head, reply, body.length === 0 ? undefined : body, services.responses);
  running.add(exchange);
  reply.onFinished = () => {
    running.remove(exchange);
    if (reply.isLost) exchange.abort();
    logRequest(services, exchange);
  };
  void run(services, exchange, route);
}

async function run(services: Services, exchange: Exchange, route: Route | undefined): Promise<void> {
  try {
    await findHandler(services, exchange, route)(exchange);
  } catch (error) {
    answerError(services, exchange, error, route);
  }
  exchange.releaseBody();
}

/** Checks that apply to every route: headers, path, method, gateway. Returns the handler. */
function findHandler(services: Services, exchange: Exchange, route: Route | undefined): Handler {
  exchange.checkHeaders();
  if (route === undefined) throw apiError('unknown_path');
  exchange.route = route.path;
  // Methods are upper case, so none is the name of a property that every object has.
  const handler = route.methods[(exchange.method === 'HEAD' ? 'GET' : exchange.method) as HttpMethod];
  if (handler === undefined) throw apiError('method_not_allowed', exchange.method, allowedMethods(route));
  if (route.isProbe !== true) services.authenticator.checkGateway(exchange.headers);
  return handler;
}

function allowedMethods(route: Route): string {
  return METHODS.filter((method) => route.methods[method] !== undefined).join(', ');
}

/**
 * Rejects what can be rejected before the body is read. Returns a function that sends the error.
 */
function precheck(
  services: Services,
  route: Route | undefined,
  head: RequestHead,
  reply: HttpReply,
): MaybePromise<(() => void) | undefined> {
  const exchange = new Exchange(head, reply, undefined, services.responses);
  const answerWith = (error: unknown) => (): void => {
    reply.onFinished = () => logRequest(services, exchange);
    answerError(services, exchange, error, route);
  };
  try {
    findHandler(services, exchange, route);
    if (route?.isProbe === true) throw apiError('body_too_large', '0');
    const checked = route?.precheck?.(exchange);
    return checked instanceof Promise ? checked.then(() => undefined, answerWith) : undefined;
  } catch (error) {
    return answerWith(error);
  }
}

function answerError(services: Services, exchange: Exchange, error: unknown, route?: Route): void {
  const known = error instanceof ApiError ? error : apiError('internal', exchange.requestId);
  exchange.error = known.key;
  exchange.reason = known.isExternal ? lineForLog(known.cause) : known.loggable()['place'];
  // Errors after the client has left are not failures of the service.
  if (known.status >= 500 && !exchange.aborted) services.observer.emit({ kind: 'failure', requestId: exchange.requestId, error });
  (route?.sendError ?? sendError)(exchange, known);
}

function logRequest(services: Services, exchange: Exchange): void {
  const { reply } = exchange;
  services.observer.emit({
    kind: 'request',
    requestId: exchange.requestId,
    method: exchange.method,
    route: exchange.route,
    status: reply.status,
    ms: performance.now() - exchange.started,
    caller: exchange.caller,
    error: exchange.error ?? clientError(exchange),
    reason: exchange.reason,
    work: exchange,
    bytes: reply.bytes,
  });
}

/** How the client ended the response early; `undefined` if it has received everything. */
function clientError({ aborted, reply }: Exchange): string | undefined {
  if (reply.isStalled) return 'stalled';
  return aborted || reply.isLost ? 'client_gone' : undefined;
}

/** The errors of requests that never reach a handler. */
const REJECTIONS: Readonly<Record<RejectReason, (services: Services) => ApiError>> = {
  malformed: () => apiError('malformed_request'),
  head_too_large: () => apiError('headers_too_large'),
  target_too_long: () => apiError('url_too_long'),
  body_too_large: ({ config }) => apiError('body_too_large', String(config.maxBodyBytes)),
  bodies_full: ({ observer }) => {
    observer.overloaded('bodies');
    return apiError('too_many_bodies');
  },
  expectation: () => apiError('expectation_unknown'),
  overloaded: () => apiError('too_many_connections'),
  too_slow: () => apiError('request_too_slow'),
};

function reject(services: Services, head: RequestHead, reason: RejectReason, reply: HttpReply): void {
  const exchange = new Exchange(head, reply, undefined, services.responses);
  exchange.route = 'refused';
  reply.onFinished = () => logRequest(services, exchange);
  answerError(services, exchange, REJECTIONS[reason](services));
}
