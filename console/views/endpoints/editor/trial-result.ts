/** The answer of a dry run, as the page shows it. Values stay exact. Pure. */
import { Digits, type Exact, type ExactObject, isObject } from '../../../../ui/exact.ts';

export interface TrialStep {
  readonly step: string;
  readonly kind: string;
  readonly name: string | undefined;
  readonly isOmitted: boolean;
  readonly ms: string | undefined;
  readonly sql: string | undefined;
  readonly parameters: readonly Exact[] | undefined;
  readonly printed: readonly string[];
  /** `undefined` if the step has no result, because it failed or did not run. */
  readonly result: { readonly value: Exact } | undefined;
  readonly error: ExactObject | undefined;
}

export interface TrialResult {
  /** `false` if the definition has problems, so nothing ran. */
  readonly hasRun: boolean;
  readonly problems: readonly string[];
  readonly steps: readonly TrialStep[];
  readonly status: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly ms: string | undefined;
  /** Body that a caller would receive. */
  readonly answer: Exact;
  readonly error: ExactObject | undefined;
  /** Effects that could not be rolled back, if there are any. */
  readonly stays: string | undefined;
}

export function textOf(value: Exact | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Digits) return value.text;
  return typeof value === 'boolean' ? String(value) : undefined;
}

const listOf = (value: Exact | undefined): readonly Exact[] => (Array.isArray(value) ? (value as readonly Exact[]) : []);
const objectOf = (value: Exact | undefined): ExactObject | undefined => (isObject(value) ? value : undefined);

function readStep(value: Exact): TrialStep {
  const step = objectOf(value) ?? {};
  const { parameters } = step;
  return {
    step: textOf(step['step']) ?? '',
    kind: textOf(step['kind']) ?? '',
    name: textOf(step['name']),
    isOmitted: step['omit'] === true,
    ms: textOf(step['duration_ms']),
    sql: textOf(step['sql']),
    parameters: parameters === undefined ? undefined : listOf(parameters),
    printed: listOf(step['printed']).flatMap((line) => textOf(line) ?? []),
    result: step['result'] === undefined ? undefined : { value: step['result'] },
    error: objectOf(step['error']),
  };
}

export function readTrial(value: Exact): TrialResult {
  const answer = objectOf(value) ?? {};
  const error = objectOf(answer['error']);
  return {
    hasRun: answer['status'] !== undefined,
    problems: listOf(answer['problems']).flatMap((problem) => textOf(objectOf(problem)?.['message']) ?? []),
    steps: listOf(answer['steps']).map(readStep),
    status: textOf(answer['status']) ?? '',
    headers: Object.entries(objectOf(answer['headers']) ?? {}).map(([name, text]) => [name, textOf(text) ?? ''] as const),
    ms: textOf(answer['duration_ms']),
    answer: error === undefined ? (answer['result'] ?? null) : withoutPlace(error),
    error,
    stays: textOf(answer['stays']) ?? textOf(objectOf(answer['stays'])?.['message']),
  };
}

/** Callers receive an error without its place in the definition. */
function withoutPlace({ place: _, ...body }: ExactObject): ExactObject {
  return body;
}
