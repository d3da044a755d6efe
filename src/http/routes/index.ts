/** All routes: the order does not matter, the router prefers the more exact path. */
import type { Route, Services } from '../route.ts';
import { autoRoutes } from './auto.ts';
import { healthRoutes } from './health.ts';
import { metaRoutes } from './meta.ts';
import { systemRoutes } from './system.ts';

export function allRoutes(services: Services): readonly Route[] {
  return [...healthRoutes(services), ...autoRoutes(services), ...metaRoutes(services), ...systemRoutes(services)];
}
