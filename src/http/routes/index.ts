/** All routes: the order does not matter, the router prefers the more exact path. */
import type { Route, Services } from '../route.ts';
import { autoRoutes } from './auto.ts';
import { customRoutes } from './custom.ts';
import { definitionRoutes } from './definitions.ts';
import { healthRoutes } from './health.ts';
import { larkRoutes } from './lark.ts';
import { metaRoutes } from './meta.ts';
import { personaRoutes } from './personas.ts';
import { systemRoutes } from './system.ts';

export function allRoutes(services: Services): readonly Route[] {
  return [healthRoutes, autoRoutes, customRoutes, definitionRoutes, larkRoutes, metaRoutes, personaRoutes, systemRoutes].flatMap((routes) =>
    routes(services),
  );
}
