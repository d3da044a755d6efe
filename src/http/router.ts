/**
 * Paths to routes. Most paths are known as a whole; a few stand for everything below them, the longest of which wins; and a pattern takes
 * what nothing else does. Nothing is decoded: each handler decodes the segments that are its own.
 */
import type { Route } from './route.ts';

const SLASH = 0x2f;

interface Below {
  readonly prefix: string;
  readonly route: Route;
}

interface Pattern {
  /** Leading segments that must be there, whatever they are; something may follow them. */
  readonly segments: number;
  readonly route: Route;
}

export class Router {
  readonly #whole = new Map<string, Route>();
  readonly #below: Below[] = [];
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const { path } = route;
      if (path.includes(':')) this.#patterns.push({ segments: path.split('/').length - 2, route });
      else if (path.endsWith('*')) this.#below.push({ prefix: path.slice(0, -1), route });
      else this.#whole.set(path, route);
    }
    this.#below.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  find(path: string): Route | undefined {
    const whole = this.#whole.get(path);
    if (whole !== undefined) return whole;
    for (const { prefix, route } of this.#below) if (path.startsWith(prefix)) return route;
    for (const { segments, route } of this.#patterns) if (hasSegments(path, segments)) return route;
    return undefined;
  }
}

/** Does the path begin with so many segments that are not empty, and a slash behind them? */
function hasSegments(path: string, count: number): boolean {
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (path.charCodeAt(at) !== SLASH) return false;
    const next = path.indexOf('/', at + 1);
    if (next <= at + 1) return false;
    at = next;
  }
  return path.charCodeAt(at) === SLASH;
}
