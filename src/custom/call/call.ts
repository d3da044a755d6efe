/**
 * Runs a Custom call: endpoint, version, roles, input, then the cache or the steps. Independent of
 * HTTP.
 */
import { apiError } from '../../errors.ts';
import type { Definition, Endpoint } from '../../model/definition.ts';
import type { Compiled } from '../program/compile.ts';
import { type Answered, type Attempt, type Call, type Failed, failedBy } from './attempt.ts';
import type { CachedCalls } from './call-cache.ts';
import type { CallOutput } from './call-output.ts';
import { chooseDefinition, type EndpointResolver, NO_MODULES, rollbackOf } from './endpoint-resolver.ts';
import { readInput } from './input.ts';
import type { StepRunner } from './step-runner.ts';
import type { VersionFailures } from './version-failures.ts';

export interface CallServices {
  readonly resolver: EndpointResolver;
  readonly runner: StepRunner;
  readonly cached: CachedCalls;
  readonly failures: VersionFailures;
}

/** Versions that one call tries, and the time after which no further one follows the first two. */
const MAX_VERSIONS = 10;
const MAX_ROLLBACK_MS = 60_000;

/**
 * Tries the requested version. While versions fail by their own fault, their rollback versions
 * follow.
 */
export async function runCall(services: CallServices, call: Call, output: CallOutput): Promise<void> {
  const { resolver, failures } = services;
  const resolved = resolver.endpoint(call.caller, call.path, call.method);
  const endpoint = resolved instanceof Promise ? await resolved : resolved;
  const requested = chooseDefinition(endpoint, call.method, call.version);
  const tried: Definition[] = [];
  const start = performance.now();
  let first: Failed | undefined;
  for (let next: Definition | undefined = requested; next !== undefined; next = rollbackOf(endpoint, next, tried)) {
    const outcome = await attempt(services, call, endpoint, next, requested, output);
    if (outcome.kind === 'answered') {
      if (first !== undefined) failures.rolledBack(call, requested, next, first.error);
      return;
    }
    first ??= outcome;
    tried.push(next);
    if (outcome.isOwnFault && !call.signal.aborted) failures.record(call, next, outcome.error);
    // The client must learn of side effects, so the version that had them reports its own error.
    if (outcome.hasSideEffects) throw outcome.error;
    if (call.signal.aborted || !outcome.isOwnFault || output.hasBegun || tried.length >= MAX_VERSIONS) break;
    if (tried.length > 1 && performance.now() - start > MAX_ROLLBACK_MS) break;
  }
  // If the rollback version rejects the call, the client still gets the error of the requested
  // version.
  throw first?.error;
}

async function attempt(
  { resolver, runner, cached }: CallServices,
  call: Call,
  endpoint: Endpoint,
  definition: Definition,
  requested: Definition,
  output: CallOutput,
): Promise<Answered | Failed> {
  try {
    const resolved = resolver.version(call.caller, definition);
    const version = resolved instanceof Promise ? await resolved : resolved;
    const { compiled } = version;
    call.meter.subject = compiled.subject;
    call.meter.isKnown = true;
    requireRole(call, compiled);
    if (call.hasFormatParameter && compiled.response?.answersFile === true) throw apiError('format_not_here');
    const allowance = { maxBytes: compiled.limits.bytes, lease: call.lease, signal: call.signal };
    const read = readInput(call.raw, compiled.rules, call.path.segments, allowance);
    const input = read instanceof Promise ? await read : read;
    const modules = compiled.usesModules ? await resolver.modules(call.caller) : NO_MODULES;
    const headers = ['X-Served-Version', definition.version];
    if (definition !== requested) headers.push('X-Rolled-Back-From', requested.version);
    const prepared: Attempt = { call, endpoint, version, input, modules, headers };
    return await (cached.accepts(prepared) ? cached.respond(prepared, output) : runner.stream(prepared, output));
  } catch (error) {
    return failedBy(error);
  }
}

function requireRole({ caller }: Call, { permission }: Compiled): void {
  if (!permission.some((role) => caller.roles.has(role))) throw apiError('role_needed', permission.join(', '));
}
