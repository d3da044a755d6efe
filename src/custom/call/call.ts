/**
 * The Custom call: find the endpoint, choose the version, check the caller's roles, read the input, and answer from the cache or by running the
 * steps. When a version fails by its own fault, its rollback version takes over. Knows no HTTP.
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
import type { VersionNotes } from './version-notes.ts';

export interface CallStages {
  readonly resolver: EndpointResolver;
  readonly runner: StepRunner;
  readonly cached: CachedCalls;
  readonly notes: VersionNotes;
}

export async function answerCall(stages: CallStages, call: Call, answer: CallOutput): Promise<void> {
  const found = stages.resolver.endpoint(call.caller, call.path, call.method);
  const endpoint = found instanceof Promise ? await found : found;
  const asked = chooseDefinition(endpoint, call.method, call.version);
  const tried: Definition[] = [];
  let first: Failed | undefined;
  for (let next: Definition | undefined = asked; next !== undefined; next = rollbackOf(endpoint, next, tried)) {
    const outcome = await attempt(stages, call, endpoint, next, asked, answer);
    if (outcome.kind === 'answered') {
      if (first !== undefined) stages.notes.rolledBack(call, asked, next, first.error);
      return;
    }
    first ??= outcome;
    tried.push(next);
    if (outcome.isOwn && !call.signal.aborted) stages.notes.failed(call, next, outcome.error);
    // The version that left something behind reports it.
    if (outcome.lasts) throw outcome.error;
    if (call.signal.aborted || !outcome.isOwn || answer.hasBegun) break;
  }
  // A rollback version that may not be called, or that refuses the call, does not help: the first error stands.
  throw first?.error;
}

async function attempt(
  { resolver, runner, cached }: CallStages,
  call: Call,
  endpoint: Endpoint,
  definition: Definition,
  asked: Definition,
  answer: CallOutput,
): Promise<Answered | Failed> {
  try {
    const found = resolver.version(call.caller, definition);
    const version = found instanceof Promise ? await found : found;
    const { compiled } = version;
    call.meter.subject = compiled.subject;
    call.meter.isKnown = true;
    requireRole(call, compiled);
    if (call.asksFormat && compiled.response?.answersFile === true) throw apiError('format_not_here');
    const allowance = { mostBytes: compiled.limits.bytes, lease: call.lease, signal: call.signal };
    const read = readInput(call.raw, compiled.rules, call.path.segments, allowance);
    const input = read instanceof Promise ? await read : read;
    const modules = compiled.usesModules ? await resolver.modules(call.caller) : NO_MODULES;
    const headers = ['X-Served-Version', definition.version];
    if (definition !== asked) headers.push('X-Rolled-Back-From', asked.version);
    const made: Attempt = { call, endpoint, version, input, modules, headers };
    return await (cached.takes(made) ? cached.answer(made, answer) : runner.answer(made, answer));
  } catch (error) {
    return failedBy(error);
  }
}

function requireRole({ caller }: Call, { permission }: Compiled): void {
  if (!permission.some((role) => caller.roles.has(role))) throw apiError('role_needed', permission.join(', '));
}
