/** Pages of apps: `render` for callers and public tokens, `ui` for anyone, and their assets. */
import { fileURLToPath } from 'node:url';
import { openApp } from '../../apps/apps.ts';
import type { Audience } from '../../apps/page/client-document.ts';
import { renderError, renderShell } from '../../apps/page/page.ts';
import { AppPages } from '../../apps/pages.ts';
import { DEMANDS } from '../../auth/caller.ts';
import { ApiError, apiError, reasonOf } from '../../errors.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import { enterSpace, projectOf } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { BuiltPage } from '../files/built-page.ts';
import { sendAsset } from '../files/send-file.ts';
import { StaticFolder } from '../files/static-folder.ts';
import { sendBytes, sendError } from '../response/respond.ts';
import type { Route, Services } from '../route.ts';

/** Folder in which the build of the page's program leaves its manifest and assets. */
const BUILT = fileURLToPath(new URL('../../app-pages/', import.meta.url));

const HTML = 'text/html; charset=utf-8';

const policyFor = (ancestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
    "require-trusted-types-for 'script'",
  ].join('; ');

/** Beside `Cache-Control` and `X-Content-Type-Options`, which every response has. */
function headersOf({ frameAncestors }: Services['config']): readonly string[] {
  const headers = ['Referrer-Policy', 'no-referrer', 'X-Robots-Tag', 'noindex', 'Content-Security-Policy', policyFor(frameAncestors)];
  return frameAncestors.length === 0 ? [...headers, 'X-Frame-Options', 'DENY'] : headers;
}

/** `folder`: what the build made. */
export function appPageRoutes(services: Services, base: string, folder = BUILT): readonly Route[] {
  const { store, engines, config } = services;
  const pages = new AppPages(engines);
  const built = new BuiltPage(folder);
  const files = new StaticFolder(folder);
  const headers = headersOf(config);
  const assets = `${base}/assets/`;
  const send = (exchange: Exchange, status: number, html: string, more: readonly string[] = []): void =>
    sendBytes(exchange, status, HTML, Buffer.from(html), [...headers, ...more]);

  /** A page for browsers, JSON for other clients. */
  const sendFailure = (exchange: Exchange, error: ApiError): void => {
    const { status, message } = error;
    if (!acceptsHtml(exchange) || exchange.reply.isEnded || exchange.reply.status !== 0) sendError(exchange, error);
    else send(exchange, status, renderError({ status, reason: reasonOf(status), message }), Object.entries(error.headers).flat());
  };

  return [
    {
      path: `${base}/render`,
      sendError: sendFailure,
      methods: {
        async GET(exchange) {
          const { caller, audience } = await enterPage(services, exchange);
          const record = await openApp(store, caller, exchange.required('app'));
          send(exchange, 200, await pages.page(record, audience, await built.assets(), caller.projectId));
        },
      },
    },
    {
      path: `${base}/ui`,
      sendError: sendFailure,
      methods: {
        async GET(exchange) {
          exchange.required('app');
          // Here the token is in the fragment, which is not sent.
          if (exchange.parameter('pwt') !== undefined) throw apiError('token_incomplete');
          send(exchange, 200, renderShell(await built.assets()));
        },
      },
    },
    { path: `${assets}*`, methods: { GET: (exchange) => sendAsset(exchange, files, assets.length) } },
  ];
}

function acceptsHtml(exchange: Exchange): boolean {
  return /\btext\/html\b/i.test(exchange.listHeader('accept') ?? '');
}

interface Viewer {
  readonly caller: SpaceCaller;
  readonly audience: Audience;
}

/** A token that is sent in the address alone opens public pages, and nothing else. */
async function enterPage(services: Services, exchange: Exchange): Promise<Viewer> {
  const token = exchange.parameter('pwt');
  const isPublic = token !== undefined && exchange.headers.powerToken === undefined && exchange.headers.bearerToken === undefined;
  if (!isPublic) return { caller: (await enterSpace(services, exchange, DEMANDS.apps)).caller, audience: 'members' };
  const caller = await identifyPublic(services, exchange, token);
  exchange.caller = caller;
  await projectOf(services, caller);
  return { caller, audience: 'public' };
}

const PUBLIC_KEY_TYPE = 'r--';

async function identifyPublic({ store, authenticator }: Services, exchange: Exchange, token: string): Promise<SpaceCaller> {
  await store.refresh();
  const headers = Object.assign(Object.create(exchange.headers) as typeof exchange.headers, { bearerToken: token });
  let caller: SpaceCaller;
  try {
    caller = (await authenticator.identify(headers, undefined, 'GET', DEMANDS.apps)) as SpaceCaller;
  } catch (error) {
    throw error instanceof ApiError && error.key === 'token_method' ? apiError('token_incomplete') : error;
  }
  if (caller.keyType !== PUBLIC_KEY_TYPE) throw apiError('token_incomplete');
  return caller;
}
