/**
 * Management of definitions: deploy, update, delete, read, list, history, diff, promotion, and the
 * check of a draft.
 */

import { DEMANDS } from '../../auth/caller.ts';
import {
  AUTHORS,
  deploy,
  describeDefinition,
  find,
  history,
  list,
  type ManagementResult,
  remove,
  revision,
  update,
} from '../../custom/manage/definitions.ts';
import { diff } from '../../custom/manage/diff.ts';
import { checkDefinition } from '../../custom/manage/dry-run.ts';
import type { Author, Management } from '../../custom/manage/management.ts';
import { promote } from '../../custom/manage/promote.ts';
import type { ValidateOptions } from '../../custom/manage/validate.ts';
import { apiError } from '../../errors.ts';
import { parseUlid } from '../../model/ulid.ts';
import { audit, storeFor } from '../audit.ts';
import { enterSpace, requireRole } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { jsonBody, yamlBody } from '../request-body.ts';
import { formatOf } from '../request-url.ts';
import { sendBytes, sendValue } from '../response/respond.ts';
import type { Handler, Route, Services } from '../route.ts';
import { trialOf } from '../trial-body.ts';

/** The feature id is optional, but must be valid if it is sent. */
function featureOf(exchange: Exchange): string | undefined {
  const sent = exchange.headers.featureId;
  if (!sent) return undefined;
  const id = parseUlid(sent);
  if (id === undefined) throw apiError('header_not_ulid', 'X-Feature-Id');
  return id;
}

/** With `prepare=false` no database is contacted. */
function inspectOptions(exchange: Exchange): ValidateOptions {
  return { prepare: exchange.parameter('prepare') !== 'false' };
}

export function definitionRoutes(services: Services): readonly Route[] {
  const base = `/${services.config.pathPrefix}/rest/definition/v1`;
  const management: Management = {
    store: services.store,
    resolver: services.calls.resolver,
    connections: services.calls.runner.connections,
    checkHost: services.checkHost,
    userIds: services.config.userIds,
  };

  const enter = async (exchange: Exchange): Promise<Author> => {
    const { caller, context } = await enterSpace(services, exchange, DEMANDS.definitions);
    return { caller, context, featureId: caller.tokenId === undefined ? featureOf(exchange) : undefined };
  };

  const read =
    (work: (exchange: Exchange, author: Author) => Promise<void>): Handler =>
    async (exchange) =>
      work(exchange, await enter(exchange));

  const change =
    (action: string, work: (exchange: Exchange, author: Author, managed: Management) => Promise<ManagementResult>): Handler =>
    async (exchange) => {
      const author = await enter(exchange);
      requireRole(author.caller, ...AUTHORS);
      const format = formatOf(exchange.parameter('format'));
      const managed = { ...management, store: storeFor(services, exchange, author.caller) };
      const { status, body, object } = await work(exchange, author, managed);
      audit(services, exchange, author.caller, { action, status, object });
      sendValue(exchange, status, format, body);
    };

  /** Only authors may send a body. */
  const precheck = async (exchange: Exchange): Promise<void> => requireRole((await enter(exchange)).caller, ...AUTHORS);

  return [
    {
      path: base,
      precheck,
      methods: {
        GET: read(async (exchange, author) => {
          const name = exchange.parameter('format');
          const format = formatOf(name);
          const definition = await find(management, author, exchange.required('definition_id').toUpperCase());
          if (name === 'yaml') sendBytes(exchange, 200, format.contentType, Buffer.from(definition.document));
          else sendValue(exchange, 200, format, await describeDefinition(definition, author.caller));
        }),
        POST: change('definition.deploy', (exchange, author, managed) =>
          deploy(managed, author, yamlBody(exchange), inspectOptions(exchange)),
        ),
        PUT: change('definition.update', (exchange, author, managed) =>
          update(managed, author, yamlBody(exchange), inspectOptions(exchange)),
        ),
        DELETE: change('definition.delete', (exchange, author, managed) =>
          remove(managed, author, {
            uri: exchange.required('uri'),
            method: exchange.required('method'),
            version: exchange.required('version'),
          }),
        ),
      },
    },
    {
      path: `${base}/list`,
      methods: {
        GET: read(async (exchange, author) => {
          const format = formatOf(exchange.parameter('format'));
          sendValue(exchange, 200, format, await list(management, author, exchange.parameter('method')));
        }),
      },
    },
    {
      path: `${base}/history`,
      methods: {
        GET: read(async (exchange, author) => {
          const format = formatOf(exchange.parameter('format'));
          const id = exchange.parameter('revision_id');
          const result =
            id === undefined
              ? await history(management, author, exchange.required('uri'), exchange.required('method'))
              : await revision(management, author, id.toUpperCase());
          sendValue(exchange, 200, format, result);
        }),
      },
    },
    {
      path: `${base}/space/copy`,
      precheck,
      methods: {
        PUT: change('definition.copy', (exchange, author, managed) =>
          promote(managed, author, jsonBody(exchange), inspectOptions(exchange)),
        ),
      },
    },
    {
      path: `${base}/space/diff`,
      precheck,
      methods: {
        POST: read(async (exchange, author) => {
          requireRole(author.caller, ...AUTHORS);
          const format = formatOf(exchange.parameter('format'));
          sendValue(exchange, 200, format, await diff(management, author, jsonBody(exchange), inspectOptions(exchange)));
        }),
      },
    },
    {
      path: `${base}/check`,
      precheck,
      methods: {
        POST: read(async (exchange, author) => {
          requireRole(author.caller, ...AUTHORS);
          const format = formatOf(exchange.parameter('format'));
          const { source, trial } = trialOf(exchange);
          const lease = services.memory.lease(author.caller.projectId);
          const run = trial && { ...trial, signal: exchange, lease };
          const existing = exchange.parameter('update') === 'true' ? 'update' : 'refuse';
          const result = checkDefinition(management, author, source, { ...inspectOptions(exchange), existing }, run);
          sendValue(exchange, 200, format, await result.finally(() => lease.release()));
        }),
      },
    },
  ];
}
