/** All routes. Their order does not matter: the router prefers the more exact path. */

import type { Route, Services } from '../route.ts';
import { appRoutes } from './apps.ts';
import { auditRoutes } from './audit.ts';
import { autoRoutes } from './auto.ts';
import { consoleRoutes } from './console.ts';
import { customRoutes } from './custom.ts';
import { definitionRoutes } from './definitions.ts';
import { describeRoutes } from './describe.ts';
import { healthRoutes } from './health.ts';
import { larkRoutes } from './lark.ts';
import { liveRoutes } from './live.ts';
import { mcpRoutes } from './mcp.ts';
import { metaRoutes } from './meta.ts';
import { personaRoutes } from './personas.ts';
import { systemRoutes } from './system.ts';

export function allRoutes(services: Services): readonly Route[] {
  const routes = [
    healthRoutes,
    appRoutes,
    auditRoutes,
    autoRoutes,
    consoleRoutes,
    customRoutes,
    definitionRoutes,
    describeRoutes,
    larkRoutes,
    liveRoutes,
    metaRoutes,
    personaRoutes,
    systemRoutes,
  ].flatMap((make) => make(services));
  return [...routes, ...mcpRoutes(services, routes)];
}
