/** Addresses of the service, relative to this script: it may be mounted anywhere. */

/** `…/svc/console/`. */
export const consoleRoot = import.meta.env.DEV
  ? new URL('/svc/console/', location.href)
  : new URL('../', /* @vite-ignore */ import.meta.url);
/** `…/svc/`. */
export const serviceRoot = new URL('../', consoleRoot);
/** The address of the service itself, below which Custom endpoints are. */
export const baseRoot = new URL('../', serviceRoot);

/** The path below the console, decoded by its user: `data/pg/shop/users`. */
export function pathBelowConsole(url: URL): string {
  return url.pathname.slice(consoleRoot.pathname.length);
}
