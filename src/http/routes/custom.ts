/** Custom calls: both forms of their paths, and their output in the requested format. */

import { DEMANDS } from '../../auth/caller.ts';
import { runCall } from '../../custom/call/call.ts';
import { type BufferedRows, type CallOutput, ResultTooLarge, type RowOutput } from '../../custom/call/call-output.ts';
import type { CallPath } from '../../custom/call/endpoint-resolver.ts';
import { apiError } from '../../errors.ts';
import type { Format } from '../../formats/format.ts';
import type { SpaceCaller } from '../../model/caller.ts';
import type { DefinitionMethod } from '../../model/definition.ts';
import { ABBREVIATION } from '../../model/org.ts';
import type { ProjectContext } from '../../model/project.ts';
import { effectivePersonaOf } from '../../personas/effective-persona.ts';
import { after, type MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import { NestingError } from '../../util/json/json.ts';
import { memo } from '../../util/memo.ts';
import type { PlainValue } from '../../util/text/decimal.ts';
import { checkPath, enterSpace, type InSpace } from '../enter.ts';
import type { Exchange } from '../exchange.ts';
import { checkEncoding } from '../request-body.ts';
import { formatOf, pathSegments } from '../request-url.ts';
import { BufferedBody } from '../response/buffered-body.ts';
import { sendBytes, sendValue } from '../response/respond.ts';
import { RowResponse } from '../response/row-response.ts';
import type { Handler, Route, Services } from '../route.ts';

/** The parts of a call that its head determines. */
interface CallHead extends InSpace {
  readonly path: CallPath;
  readonly format: Format;
}

export function customRoutes(services: Services): readonly Route[] {
  const prefix = `/${services.config.pathPrefix}`;
  const long = `${prefix}/api/rest/v1/`;

  const enter = (exchange: Exchange, start: number): MaybePromise<CallHead> => {
    if (start === 1 && (exchange.path === prefix || exchange.path.startsWith(`${prefix}/`))) throw apiError('unknown_path');
    const { org, project, path } = parsePath(exchange.path, start);
    return after(enterSpace(services, exchange, DEMANDS.custom), ({ caller, context }) => {
      checkPath(context, org, project);
      const format = formatOf(exchange.parameter('format'));
      checkEncoding(exchange);
      return after(withPersona(services, caller, context), (actor): CallHead => ({ caller: actor, context, path, format }));
    });
  };

  const call =
    (method: DefinitionMethod, start: number): Handler =>
    async (exchange) => {
      const entered = enter(exchange, start);
      const { caller, context, path, format } = entered instanceof Promise ? await entered : entered;
      const lease = services.memory.lease(caller.projectId);
      try {
        await runCall(
          services.calls,
          {
            caller,
            context,
            path,
            method,
            version: exchange.parameter('version'),
            raw: { query: exchange.query, body: exchange.body, contentType: exchange.header('content-type') },
            format: format.name,
            hasFormatParameter: exchange.parameter('format') !== undefined,
            requestId: exchange.requestId,
            signal: exchange,
            meter: exchange,
            lease,
          },
          new HttpCallOutput(exchange, format),
        );
      } finally {
        lease.release();
      }
    };

  const methods = (start: number): Route['methods'] => ({
    GET: call('get', start),
    POST: call('post', start),
    PUT: call('put', start),
    PATCH: call('patch', start),
    DELETE: call('delete', start),
  });

  return [
    { path: '/:org/:project/*', methods: methods(1), precheck: (exchange) => enter(exchange, 1) },
    { path: `${long}*`, methods: methods(long.length), precheck: (exchange) => enter(exchange, long.length) },
  ];
}

/** The last copy of a caller with its persona, which seldom changes. */
const lastActor = memo((caller: SpaceCaller) => ({ actor: caller }));

/** Returns the caller as steps see it, with the name of the effective persona. */
function withPersona({ store }: Services, caller: SpaceCaller, context: ProjectContext): MaybePromise<SpaceCaller> {
  return after(effectivePersonaOf(store, caller, context), (effective) => {
    if (effective.kind !== 'persona') return caller;
    const { persona } = effective.persona;
    const last = lastActor(caller);
    if (last.actor.persona !== persona) last.actor = { ...caller, persona };
    return last.actor;
  });
}

interface CustomPath {
  readonly org: string;
  readonly project: string;
  readonly path: CallPath;
}

function parsePath(path: string, start: number): CustomPath {
  const [org = '', project = '', ...rest] = pathSegments(path, start);
  const uri = (path.includes('%') || path.includes('{') ? rest.map(literalSegment) : rest).join('/');
  // Without valid abbreviations it is not a Custom path, whatever the caller's rights are.
  if (uri === '' || !ABBREVIATION.test(org) || !ABBREVIATION.test(project)) throw apiError('unknown_path');
  return { org, project, path: { uri, segments: rest } };
}

/** Keeps characters encoded that a literal segment of a uri cannot have. */
function literalSegment(segment: string): string {
  return segment.replace(/[/{]/g, encodeURIComponent);
}

const tooLarge = (maxBytes: number): Error => new ResultTooLarge(maxBytes);

class HttpCallOutput implements CallOutput {
  readonly #exchange: Exchange;
  readonly #format: Format;

  constructor(exchange: Exchange, format: Format) {
    this.#exchange = exchange;
    this.#format = format;
  }

  get hasBegun(): boolean {
    return this.#exchange.reply.status !== 0;
  }

  rows(held: 'held' | 'flowing'): RowOutput {
    return new RowResponse(this.#exchange, this.#format, held);
  }

  value(value: PlainValue, headers: readonly string[], status = 200): void {
    sendValue(this.#exchange, status, this.#format, value, headers);
  }

  bytes(body: Buffer, headers: readonly string[], status = 200, type = this.#format.contentType): void {
    sendBytes(this.#exchange, status, type, body, headers);
  }

  bufferValue(value: PlainValue, maxBytes: number): Buffer {
    const body = new BufferedBody(this.#format, maxBytes, tooLarge);
    try {
      this.#format.value(value, body.out);
    } catch (error) {
      throw error instanceof NestingError ? apiError('result_too_deep') : error;
    }
    return body.take();
  }

  bufferRows(maxBytes: number): BufferedRows {
    return new BufferedBody(this.#format, maxBytes, tooLarge);
  }
}
