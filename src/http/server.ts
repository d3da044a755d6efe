/**
 * The HTTP server: Fastify for routing and the life of connections, and the one place where an error becomes an answer. Bodies reach the
 * handlers as bytes; queries as the raw text; nothing that was sent is printed.
 */
import { type IncomingMessage, METHODS as NODE_METHODS } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiError, apiError } from '../errors.ts';
import { newUlid } from '../model/ulid.ts';
import { Exchange } from './exchange.ts';
import { sendError } from './respond.ts';
import type { Handler, HttpMethod, Route, Services } from './route.ts';

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Whatever else Node can read (CONNECT is none of ours): refused on known paths, and never a 404 there. */
const OTHER_METHODS = NODE_METHODS.filter((method) => ![...METHODS, 'HEAD', 'CONNECT'].includes(method));
/** How long the rest of a refused body may take to arrive. */
const DROP_MS = 10_000;
/** Of the request line and the headers together. */
const MAX_HEADER_BYTES = 32 * 1024;
/** A request line that takes more than half of that is what made the whole too large. */
const LONG_REQUEST_LINE = new RegExp(`^[A-Z]+ [^\\r\\n]{${MAX_HEADER_BYTES / 2}}`);

export function buildServer(services: Services, routes: readonly Route[]): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: services.config.maxBodyBytes,
    requestTimeout: 120_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 15_000 },
    forceCloseConnections: false,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: {
      querystringParser: (text: string) => text as unknown as Record<string, unknown>,
      maxParamLength: 16_384,
      ignoreTrailingSlash: false,
    },
    frameworkErrors: (error, request, reply) => answerFrameworkError(services, error, request, reply),
    clientErrorHandler: answerMalformed,
    rewriteUrl: originForm,
  });
  for (const method of OTHER_METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => answerFrameworkError(services, error as Error & { code?: string }, request, reply));
  app.setNotFoundHandler((request, reply) => {
    handle(services, request, reply, 'unknown', () => {
      throw apiError('unknown_path');
    });
  });
  for (const route of routes) addRoute(app, services, route);
  return app;
}

function addRoute(app: FastifyInstance, services: Services, route: Route): void {
  const allow = METHODS.filter((method) => route.methods[method] !== undefined);
  for (const method of METHODS) {
    const handler = route.methods[method] ?? refuseMethod(allow.join(', '));
    const run = (request: FastifyRequest, reply: FastifyReply): void =>
      handle(services, request, reply, route.path, handler, route.open === true);
    app.route({ method, url: route.path, handler: run });
    if (method === 'GET') app.route({ method: 'HEAD', url: route.path, handler: run });
  }
  const refuse = refuseMethod(allow.join(', '));
  app.route({
    method: OTHER_METHODS,
    url: route.path,
    handler: (request, reply) => handle(services, request, reply, route.path, refuse, true),
  });
}

function refuseMethod(allow: string): Handler {
  return (exchange) => {
    throw apiError('method_not_allowed', exchange.method, allow);
  };
}

/** A client that takes us for its proxy sends the whole address; the path is what counts. */
function originForm(request: IncomingMessage): string {
  const { url = '/' } = request;
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
}

/** Fastify's part ends here: the handler answers on the bare response. */
function handle(services: Services, request: FastifyRequest, reply: FastifyReply, route: string, handler: Handler, open = false): void {
  reply.hijack();
  const exchange = new Exchange(request.raw, reply.raw, route, request.body as Buffer | undefined);
  void run(services, exchange, handler, open);
}

async function run(services: Services, exchange: Exchange, handler: Handler, open: boolean): Promise<void> {
  const { response } = exchange;
  response.on('close', () => {
    if (!response.writableFinished) exchange.abort();
    logRequest(services, exchange);
  });
  if (!services.ready()) response.setHeader('Connection', 'close');
  try {
    if (!open) services.authenticator.checkGateway(exchange.headers);
    await handler(exchange);
  } catch (error) {
    answerError(services, exchange, error);
  }
}

/** The only place where an error becomes an answer. */
function answerError(services: Services, exchange: Exchange, error: unknown): void {
  const known = error instanceof ApiError ? error : apiError('internal', exchange.requestId);
  exchange.error = known.key;
  // A client that has gone is no failure of the service.
  if (known.status >= 500 && !exchange.aborted) services.observer.emit({ kind: 'failure', requestId: exchange.requestId, error });
  if (exchange.response.destroyed) return;
  sendError(exchange, known);
}

function logRequest(services: Services, exchange: Exchange): void {
  const { caller } = exchange;
  services.observer.emit({
    kind: 'request',
    requestId: exchange.requestId,
    method: exchange.method,
    route: exchange.route,
    status: exchange.response.statusCode,
    ms: performance.now() - exchange.started,
    orgId: caller?.orgId,
    projectId: caller?.projectId,
    userId: caller?.userId,
    error: exchange.aborted ? 'client_gone' : exchange.error,
  });
}

/** What Fastify itself refuses before a handler runs. */
const FRAMEWORK_ERRORS: Readonly<Record<string, (services: Services) => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (services) => apiError('body_too_large', String(services.config.maxBodyBytes)),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => apiError('wrong_content_type', 'one that this endpoint documents'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => apiError('malformed_request'),
  FST_ERR_BAD_URL: () => apiError('bad_url'),
  FST_ERR_MAX_PARAM_LENGTH: () => apiError('url_too_long'),
};

function answerFrameworkError(services: Services, error: Error & { code?: string }, request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  const exchange = new Exchange(request.raw, reply.raw, 'refused', undefined);
  exchange.response.on('close', () => logRequest(services, exchange));
  dropRest(request.raw);
  answerError(services, exchange, FRAMEWORK_ERRORS[error.code ?? '']?.(services) ?? error);
}

/**
 * The rest of a refused body is read and forgotten: a client that is still sending when its connection closes would not see the answer.
 * One that goes on for too long sees that instead.
 */
function dropRest(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), DROP_MS).unref();
  request.on('close', () => clearTimeout(timer));
}

/** Not HTTP enough for Node's parser: there is no request object, only a socket. */
function answerMalformed(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '';
  const overflow = LONG_REQUEST_LINE.test(packet) ? apiError('url_too_long') : apiError('headers_too_large');
  const known = error.code === 'HPE_HEADER_OVERFLOW' ? overflow : apiError('malformed_request');
  const { status: reason } = known.body();
  const body = JSON.stringify(known.body());
  socket.end(
    `HTTP/1.1 ${known.status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${newUlid()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
