/**
 * The endpoint of the Model Context Protocol: authentication, origins, and the session of a
 * request.
 */
import { isIP } from 'node:net';
import { DEMANDS } from '../../auth/caller.ts';
import { ApiError, apiError } from '../../errors.ts';
import { answerMessage, answerUnreadable, type McpReply, type ToolServer } from '../../mcp/protocol.ts';
import type { MessageHeaders } from '../../mcp/revision.ts';
import type { ToolSession } from '../../mcp/session.ts';
import { toolsOf } from '../../mcp/tools.ts';
import type { Caller, SpaceCaller } from '../../model/caller.ts';
import type { ProjectContext } from '../../model/project.ts';
import { writeJson } from '../../util/json/json.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { audit } from '../audit.ts';
import { projectOf } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { sendInside } from '../inner-requests.ts';
import { jsonBody } from '../request-body.ts';
import { JSON_TYPE } from '../response/headers.ts';
import { sendBytes, sendJson } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';
import { Router } from '../router.ts';

/** `routes`: the routes that tools may call. */
export function mcpRoutes(services: Services, routes: readonly Route[]): readonly Route[] {
  const { config } = services;
  if (config.mcp === 'off') return [];
  const router = new Router(routes);
  return [{ path: `/${config.pathPrefix}/mcp/v1`, methods: { POST: (exchange) => answer(services, router, exchange) } }];
}

const STATUSES: Readonly<Record<McpReply['outcome'], number>> = { answered: 200, accepted: 202, malformed: 400, unknown: 404 };

async function answer(services: Services, router: Router, exchange: Exchange): Promise<void> {
  checkOrigin(services, exchange);
  const token = tokenOf(exchange);
  let caller: SpaceCaller;
  try {
    caller = (await identify(services, exchange, token)) as SpaceCaller;
  } catch (error) {
    if (!(error instanceof ApiError) || !UNAUTHENTICATED.has(error.key)) throw error;
    sendUnauthorized(exchange, error);
    return;
  }
  exchange.caller = caller;
  const context = await projectOf(services, caller);
  const { outcome, message } = await reply(serverFor(services, router, exchange, { caller, context, token }), exchange);
  sendBytes(exchange, STATUSES[outcome], JSON_TYPE, Buffer.from(message === undefined ? '' : writeJson(message)));
}

async function reply(server: ToolServer, exchange: Exchange): Promise<McpReply> {
  const headers: MessageHeaders = {
    version: exchange.header('mcp-protocol-version'),
    method: exchange.header('mcp-method'),
    name: exchange.header('mcp-name'),
  };
  let body: PlainValue;
  try {
    body = jsonBody(exchange);
  } catch (error) {
    if (!(error instanceof ApiError) || !UNREADABLE.has(error.key)) throw error;
    return answerUnreadable(error.message);
  }
  return answerMessage(server, body, headers);
}

const UNREADABLE: ReadonlySet<string> = new Set(['body_not_json', 'body_too_deep']);

/** Errors after which a client must authenticate again. */
const UNAUTHENTICATED: ReadonlySet<string> = new Set(['missing_user', 'token_unknown', 'token_mismatch', 'token_incomplete']);

function sendUnauthorized(exchange: Exchange, { key, message }: ApiError): void {
  exchange.error = key;
  const refusal = apiError('mcp_unauthorized', message);
  sendJson(exchange, refusal.status, refusal.body(), ['WWW-Authenticate', 'Bearer realm="millrace"']);
}

/**
 * Rejects cross-origin requests, also after DNS rebinding: a host name other than a literal IP
 * address must be listed in MILLRACE_MCP_ORIGINS.
 */
function checkOrigin({ config }: Services, exchange: Exchange): void {
  const origin = exchange.header('origin');
  if (origin === undefined || config.mcpOrigins.includes(origin)) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const name = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isOwn = url?.host === exchange.header('host') && (isIP(name) !== 0 || name === 'localhost' || name === config.host);
  if (!isOwn) throw apiError('origin_denied');
}

/** A Power Token in either header; `undefined` if the gateway's headers identify the caller. */
function tokenOf({ headers }: Exchange): string | undefined {
  return headers.bearerToken ?? headers.powerToken;
}

/** A token with any right may open a session. Each tool requires the right of its own request. */
async function identify({ store, authenticator }: Services, exchange: Exchange, token: string | undefined): Promise<Caller> {
  await store.refresh();
  const { headers } = exchange;
  // X-Power-Token alone is enough here: clients of this protocol have no query.
  const pwt = headers.bearerToken === undefined ? token : exchange.parameter('pwt');
  for (const method of ['GET', 'POST']) {
    try {
      return await authenticator.identify(headers, pwt, method, DEMANDS.describe);
    } catch (error) {
      if (!(error instanceof ApiError) || error.key !== 'token_method') throw error;
    }
  }
  return authenticator.identify(headers, pwt, 'DELETE', DEMANDS.describe);
}

interface InMcp {
  readonly caller: SpaceCaller;
  readonly context: ProjectContext;
  readonly token: string | undefined;
}

function serverFor(services: Services, router: Router, exchange: Exchange, { caller, context, token }: InMcp): ToolServer {
  const { describer, config } = services;
  const session: ToolSession = {
    caller,
    outline: () => describer.outline(caller, context),
    describe: (db) => describer.describe(caller, context, { db, table: undefined }),
    table: (ref) => describer.table(caller, context, ref),
    send: (request) => sendInside(router, exchange, token, { ...request, path: `/${config.pathPrefix}/${request.path}` }),
  };
  return {
    serverInfo: { name: 'millrace', version: services.version },
    session: () => session,
    tools: async () => toolsOf(await session.outline(), caller),
    audit: (tool, object, status) => audit(services, exchange, caller, { action: `mcp.${tool}`, object, status }),
  };
}
