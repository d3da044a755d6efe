/**
 * The console: a page for every address below it, its assets, and the way there from the root. No
 * context is needed; what the page shows comes from the documented API.
 */
import { fileURLToPath } from 'node:url';
import { apiError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';
import { sendAsset, sendPage } from '../files/send-file.ts';
import { StaticFolder } from '../files/static-folder.ts';
import { sendEmpty } from '../response/respond.ts';
import type { Handler, Route, Services } from '../route.ts';

const BUILT = fileURLToPath(new URL('../../console/', import.meta.url));

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = ['Content-Security-Policy', POLICY, 'X-Frame-Options', 'DENY', 'Cross-Origin-Opener-Policy', 'same-origin'];

/** `folder`: what the build of the front end made. */
export function consoleRoutes({ config }: Pick<Services, 'config'>, folder = BUILT): readonly Route[] {
  if (config.console === 'off') return [];
  const base = `/${config.pathPrefix}/console`;
  const files = new StaticFolder(folder);
  const home = { base: `${base}/`, assets: `${base}/assets/` };

  const sendConsole = async (exchange: Exchange): Promise<void> => {
    const depth = exchange.path.slice(home.base.length).split('/').length - 1;
    const page = await files.page(depth);
    if (page === undefined) throw apiError('console_missing');
    sendPage(exchange, page, PAGE_HEADERS);
  };

  return [
    { path: base, methods: { GET: (exchange) => redirect(exchange, 308, home.base) } },
    { path: `${home.base}*`, methods: { GET: sendConsole } },
    { path: `${home.assets}*`, methods: { GET: (exchange) => sendAsset(exchange, files, home.assets.length) } },
    { path: '/', methods: { ...NO_METHODS, GET: (exchange) => leadBrowser(exchange, home.base) } },
  ];
}

/** Browsers are led to the console. For other clients nothing is at the root. */
function leadBrowser(exchange: Exchange, target: string): void {
  if (!/\btext\/html\b/i.test(exchange.listHeader('accept') ?? '')) throw apiError('unknown_path');
  redirect(exchange, 302, target);
}

function redirect(exchange: Exchange, status: 302 | 308, target: string): void {
  const mark = exchange.head.target.indexOf('?');
  sendEmpty(exchange, status, ['Location', target + (mark < 0 ? '' : exchange.head.target.slice(mark)), 'Vary', 'Accept']);
}

const notThere: Handler = () => {
  throw apiError('unknown_path');
};

/** Without them a method that the root does not have would be 405 instead of 404. */
const NO_METHODS: Route['methods'] = { QUERY: notThere, POST: notThere, PUT: notThere, PATCH: notThere, DELETE: notThere };
