/**
 * System APIs: organizations, projects with their databases, Power Tokens, and the validation of a
 * server key.
 */
import type { Demand } from '../../auth/caller.ts';
import { DEMANDS } from '../../auth/caller.ts';
import { apiError } from '../../errors.ts';
import type { ManageAnswer } from '../../manage/answer.ts';
import { tryEntry, tryRegistered } from '../../manage/database-trial.ts';
import { changeOrg, createOrg, deleteOrg, getOrg, listOrgs } from '../../manage/orgs.ts';
import {
  addDatabase,
  changeDatabase,
  changeProject,
  createProject,
  deleteProject,
  getProject,
  listProjects,
  removeDatabase,
} from '../../manage/projects.ts';
import { createToken, deleteToken, listTokens } from '../../manage/tokens.ts';
import type { Caller, OrgCaller, SpaceCaller } from '../../model/caller.ts';
import type { Store } from '../../store/store.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { plainDocument } from '../../util/json/plain-document.ts';
import { audit, storeFor } from '../audit.ts';
import { identify, projectOf } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { jsonBody } from '../request-body.ts';
import { formatOf } from '../request-url.ts';
import { sendDone, sendValue } from '../response/respond.ts';
import type { Handler, Route, Services } from '../route.ts';

/** Changes records through the store for changes, on behalf of the caller. */
type Change = (exchange: Exchange, caller: SpaceCaller, changed: Store) => Promise<ManageAnswer>;

/** First path segments of the service itself, which cannot be abbreviations of organizations. */
const OWN_SEGMENTS = ['healthz', 'readyz', 'metrics'];

export function systemRoutes(services: Services): readonly Route[] {
  const { store, config } = services;
  const base = `/${config.pathPrefix}/system/api/v1`;
  const reserved = new Set([...OWN_SEGMENTS, config.pathPrefix]);

  const answer = (exchange: Exchange, { status, body }: ManageAnswer): void =>
    sendValue(exchange, status, formatOf('json'), plainDocument(body));

  const audited = (exchange: Exchange, caller: Caller, action: string, result: ManageAnswer): void => {
    audit(services, exchange, caller, { action, status: result.status, object: objectOf(result.body), changed: result.changed });
    answer(exchange, result);
  };

  const readWith =
    (demand: Demand, work: (exchange: Exchange, caller: OrgCaller) => Promise<ManageAnswer>): Handler =>
    async (exchange) => {
      const caller = await identify(services, exchange, demand);
      answer(exchange, await work(exchange, caller as OrgCaller));
    };

  const changeWith =
    (demand: Demand, action: string, work: Change): Handler =>
    async (exchange) => {
      const caller = await identify(services, exchange, demand);
      audited(exchange, caller, action, await work(exchange, caller as SpaceCaller, storeFor(services, exchange, caller)));
    };

  /** Checks that the context exists, which tokens require. */
  const inSpace =
    (work: Change): Change =>
    async (exchange, caller, changed) => {
      await projectOf(services, caller);
      return work(exchange, caller, changed);
    };

  const precheck =
    (demand: Demand) =>
    (exchange: Exchange): MaybePromise<unknown> =>
      identify(services, exchange, demand);

  const projectId = (exchange: Exchange, caller: Caller): string | undefined => exchange.parameter('project_id') ?? caller.projectId;

  return [
    {
      path: `${base}/org`,
      precheck: precheck(DEMANDS.system),
      methods: {
        POST: changeWith(DEMANDS.system, 'org.create', (exchange, caller, changed) =>
          createOrg(changed, caller, jsonBody(exchange), reserved),
        ),
        GET: readWith(DEMANDS.system, (exchange, caller) => getOrg(store, caller, exchange.parameter('org_id') ?? caller.orgId)),
        PUT: changeWith(DEMANDS.system, 'org.change', (exchange, caller, changed) =>
          changeOrg(changed, caller, exchange.parameter('org_id'), jsonBody(exchange), reserved),
        ),
        DELETE: changeWith(DEMANDS.system, 'org.delete', (exchange, caller, changed) =>
          deleteOrg(changed, caller, exchange.parameter('org_id')),
        ),
      },
    },
    { path: `${base}/org/list`, methods: { GET: readWith(DEMANDS.system, (_, caller) => listOrgs(store, caller)) } },
    {
      path: `${base}/project`,
      precheck: precheck(DEMANDS.systemOrg),
      methods: {
        POST: changeWith(DEMANDS.systemOrg, 'project.create', (exchange, caller, changed) =>
          createProject(changed, caller, jsonBody(exchange), services),
        ),
        GET: readWith(DEMANDS.systemOrg, (exchange, caller) => getProject(store, caller, projectId(exchange, caller))),
        PUT: changeWith(DEMANDS.systemOrg, 'project.change', (exchange, caller, changed) =>
          changeProject(changed, caller, exchange.parameter('project_id'), jsonBody(exchange)),
        ),
        DELETE: changeWith(DEMANDS.systemOrg, 'project.delete', (exchange, caller, changed) =>
          deleteProject(changed, caller, exchange.parameter('project_id')),
        ),
      },
    },
    { path: `${base}/project/list`, methods: { GET: readWith(DEMANDS.systemOrg, (_, caller) => listProjects(store, caller)) } },
    {
      path: `${base}/project/database`,
      precheck: precheck(DEMANDS.systemOrg),
      methods: {
        POST: changeWith(DEMANDS.systemOrg, 'database.create', (exchange, caller, changed) =>
          addDatabase(changed, caller, exchange.parameter('project_id'), jsonBody(exchange), services),
        ),
        PUT: changeWith(DEMANDS.systemOrg, 'database.change', (exchange, caller, changed) =>
          changeDatabase(changed, caller, exchange.parameter('project_id'), jsonBody(exchange), services),
        ),
        DELETE: changeWith(DEMANDS.systemOrg, 'database.delete', (exchange, caller, changed) =>
          removeDatabase(
            changed,
            caller,
            projectId(exchange, caller),
            exchange.parameter('type'),
            exchange.parameter('name'),
            services.engines,
            exchange.parameter('space'),
          ),
        ),
      },
    },
    {
      path: `${base}/project/database/test`,
      precheck: precheck(DEMANDS.systemOrg),
      methods: {
        GET: readWith(DEMANDS.systemOrg, (exchange, caller) =>
          tryRegistered(store, caller, projectId(exchange, caller), exchange.parameter('type'), exchange.parameter('name'), services),
        ),
        POST: readWith(DEMANDS.systemOrg, (exchange, caller) =>
          exchange.body === undefined
            ? tryRegistered(store, caller, projectId(exchange, caller), exchange.parameter('type'), exchange.parameter('name'), services)
            : tryEntry(store, caller, exchange.parameter('project_id'), jsonBody(exchange), services),
        ),
      },
    },
    {
      path: `${base}/token`,
      precheck: precheck(DEMANDS.tokens),
      methods: {
        POST: changeWith(
          DEMANDS.tokens,
          'token.create',
          inSpace((exchange, caller, changed) => createToken(changed, caller, jsonBody(exchange), services.config.userIds)),
        ),
        DELETE: changeWith(
          DEMANDS.tokens,
          'token.delete',
          inSpace((exchange, caller, changed) => deleteToken(changed, caller, exchange.parameter('token_id'))),
        ),
      },
    },
    {
      path: `${base}/token/list`,
      methods: {
        GET: changeWith(
          DEMANDS.tokens,
          'token.list',
          inSpace((exchange, caller) =>
            listTokens(store, caller, { pg: exchange.parameter('pg'), ps: exchange.parameter('ps') }, config.maxPageSize),
          ),
        ),
      },
    },
    {
      path: `/${config.pathPrefix}/proof/v1/validate/server/key`,
      precheck: (exchange) => after(identify(services, exchange, DEMANDS.validate), () => checkKeySize(exchange.head.section.length)),
      methods: { GET: (exchange) => validateKey(services, exchange), POST: (exchange) => validateKey(services, exchange) },
    },
  ];
}

/** Fields of a response that identify its object. */
const IDENTIFYING = /^(?:(?:org|project|token)_id|abbreviation|db_type|db_name|name)$/;

function objectOf(body: object): string {
  return Object.entries(body)
    .flatMap(([name, value]) => (IDENTIFYING.test(name) && typeof value === 'string' ? [`${name}=${value}`] : []))
    .join(' ');
}

const MAX_KEY_BYTES = 4096;

function checkKeySize(bytes: number): void {
  if (bytes > MAX_KEY_BYTES) throw apiError('body_too_large', String(MAX_KEY_BYTES));
}

/** The key is the body, even of a GET. */
async function validateKey(services: Services, exchange: Exchange): Promise<void> {
  await identify(services, exchange, DEMANDS.validate);
  const body = exchange.body ?? Buffer.alloc(0);
  checkKeySize(body.length);
  const key = body.toString('utf8').trim();
  if (key === '') throw apiError('server_key_empty');
  if (!services.authenticator.isServerKey(key)) throw apiError('server_key_invalid');
  sendDone(exchange, 200, 'The server key is valid.');
}
