/**
 * Personas of a space: put, get, list, delete, copy to a space; and the effective persona of the
 * caller.
 */

import { DEMANDS } from '../../auth/caller.ts';
import { apiError } from '../../errors.ts';
import type { Caller } from '../../model/caller.ts';
import { effectivePersonaOf } from '../../personas/effective-persona.ts';
import {
  checkDocument,
  copyPersonas,
  deletePersona,
  describeEffectivePersona,
  getPersona,
  listPersonas,
  type PersonaAnswer,
  type PutRequest,
  putPersona,
} from '../../personas/personas.ts';
import type { Store } from '../../store/store.ts';
import { audit, storeFor } from '../audit.ts';
import { enterSpace, type InSpace, requireRole } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { JSON_TYPES, jsonBody, mediaType, textBody, YAML_TYPES } from '../request-body.ts';
import { formatOf } from '../request-url.ts';
import { sendValue } from '../response/respond.ts';
import type { Handler, Route, Services } from '../route.ts';

const TYPES = [...YAML_TYPES, ...JSON_TYPES];
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const READERS = ['admin', 'power'];

/** A token bound to a persona must not change personas: it could lift its own restriction. */
function requireAdmin(caller: Caller): void {
  requireRole(caller, 'admin');
  if (caller.personaBound !== undefined) throw apiError('token_bound', caller.personaBound);
}

export function personaRoutes(services: Services): readonly Route[] {
  const { store, config, engines } = services;
  const base = `/${config.pathPrefix}/persona/v1`;
  const enter = (exchange: Exchange) => enterSpace(services, exchange, DEMANDS.personas);

  const readWith =
    (work: (exchange: Exchange, at: InSpace) => Promise<Parameters<typeof sendValue>[3]>, roles = READERS): Handler =>
    async (exchange) => {
      const at = await enter(exchange);
      if (roles.length > 0) requireRole(at.caller, ...roles);
      const format = formatOf(exchange.parameter('format'));
      sendValue(exchange, 200, format, await work(exchange, at));
    };

  const changeWith =
    (action: string, work: (exchange: Exchange, at: InSpace, changed: Store) => Promise<PersonaAnswer>): Handler =>
    async (exchange) => {
      const at = await enter(exchange);
      requireAdmin(at.caller);
      const format = formatOf(exchange.parameter('format'));
      const { status, body, object } = await work(exchange, at, storeFor(services, exchange, at.caller));
      audit(services, exchange, at.caller, { action, status, object });
      sendValue(exchange, status, format, body);
    };

  const documentOf = (exchange: Exchange, { context }: InSpace): PutRequest => ({
    text: textBody(exchange, TYPES, MAX_DOCUMENT_BYTES),
    type: mediaType(exchange.header('content-type') ?? '') === JSON_TYPES[0] ? 'json' : 'yaml',
    isType: (type) => engines.find(type) !== undefined,
    check: services.checkPersona(context),
  });

  const methods: Route['methods'] = {
    POST: changeWith('persona.put', (exchange, at, changed) => putPersona(changed, at.caller, documentOf(exchange, at))),
    GET: readWith((exchange, { caller }) => getPersona(store, caller, exchange.required('persona'))),
    DELETE: changeWith('persona.delete', (exchange, { caller }, changed) => deletePersona(changed, caller, exchange.required('persona'))),
  };

  /** Only administrators may send a body. */
  const precheck = async (exchange: Exchange): Promise<void> => requireAdmin((await enter(exchange)).caller);

  return [
    { path: base, methods, precheck },
    { path: `${base}/`, methods, precheck },
    {
      path: `${base}/check`,
      precheck,
      methods: { POST: readWith((exchange, at) => checkDocument(at.caller, documentOf(exchange, at)), ['admin']) },
    },
    { path: `${base}/list`, methods: { GET: readWith((_, { caller }) => listPersonas(store, caller)) } },
    {
      path: `${base}/space/copy`,
      precheck,
      methods: {
        PUT: changeWith('persona.copy', (exchange, { caller, context }, changed) =>
          copyPersonas(changed, caller, context, jsonBody(exchange)),
        ),
      },
    },
    {
      path: `${base}/me`,
      methods: {
        GET: readWith(
          async (_, { caller, context }) => describeEffectivePersona(caller, await effectivePersonaOf(store, caller, context)),
          [],
        ),
      },
    },
  ];
}
