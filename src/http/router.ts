/**
 * Maps paths to routes: whole paths first, then the longest prefix, then patterns. Paths are not
 * decoded; each handler decodes its own segments. Pure.
 */
import type { Route } from './route.ts';

const SLASH = 0x2f;

interface Below {
  readonly prefix: string;
  readonly route: Route;
}

interface Pattern {
  /** Number of leading segments, which may have any content. More may follow. */
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

/** `true` if the path begins with this many non-empty segments and a slash. */
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
