/**
 * Runs a case through the check of a running service, which rolls everything back, and compares the
 * result.
 */

import { parseJson, writeJson } from '../../util/json/json.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { Client } from '../client/client.ts';
import { differencesOf, shown, textOfValue, valueAt } from './differences.ts';
import type { Expectation, TestCase } from './test-file.ts';

export interface CaseResult {
  readonly name: string;
  /** Differences from the expected result; empty if the case passed. */
  readonly differences: readonly string[];
  readonly millis: number;
  /** Keys of the steps that ran. */
  readonly reached: readonly string[];
}

/** Deeper than any result of the service. */
const MAX_DEPTH = 1024;
const FIRST_REFUSAL = 400;

export async function runCase(client: Client, definition: string, tested: TestCase): Promise<CaseResult> {
  const began = performance.now();
  const { reached, differences } = await outcomeOf(client, definition, tested);
  return { name: tested.name, differences, reached, millis: Math.round(performance.now() - began) };
}

type CaseOutcome = Pick<CaseResult, 'differences' | 'reached'>;

async function outcomeOf(client: Client, definition: string, tested: TestCase): Promise<CaseOutcome> {
  // Statements are executed for real, since `before` may create their tables.
  const response = await client.send('POST', 'rest/definition/v1/check', { query: { prepare: 'false' }, body: bodyOf(definition, tested) });
  const answer = read(Buffer.from(await response.arrayBuffer()));
  if (answer === undefined) return { differences: [`the service answered ${response.status} and no JSON`], reached: [] };
  if (!response.ok) return { differences: [String(answer.get('message') ?? `the service answered ${response.status}`)], reached: [] };
  const status = answer.get('status');
  if (typeof status !== 'number') return { differences: problemsOf(answer), reached: [] };
  const reached = mapsOf(answer.get('steps')).map((step) => String(step.get('step')));
  const found = [...answerDifferences(tested.expect, answer, status), ...afterDifferences(tested, answer)];
  const stays = answer.get('stays');
  if (!tested.keep && typeof stays === 'string') found.push(`not everything could be taken back: ${stays}`);
  return { differences: found, reached };
}

function read(bytes: Buffer): PlainMap | undefined {
  try {
    const value = parseJson(bytes, { maxDepth: MAX_DEPTH });
    return value instanceof Map ? value : undefined;
  } catch {
    return undefined;
  }
}

function bodyOf(definition: string, { before, roles, input, query, keep, after }: TestCase): string {
  const sent = new Map<string, PlainValue>([
    ['definition', definition],
    ['before', before],
    ['after', [...after.keys()]],
    ['keep', keep],
  ]);
  if (roles !== undefined) sent.set('roles', roles);
  if (input !== undefined) sent.set('input', input);
  if (query !== undefined) sent.set('query', query);
  return writeJson(sent);
}

/** Problems of a definition that cannot be run. */
function problemsOf(answer: PlainMap): readonly string[] {
  const told = mapsOf(answer.get('problems')).map(
    (problem) => `line ${String(problem.get('line'))}, column ${String(problem.get('column'))}: ${String(problem.get('message'))}`,
  );
  return ['the definition is not valid:', ...told];
}

function mapsOf(value: PlainValue | undefined): readonly PlainMap[] {
  return Array.isArray(value) ? (value as readonly PlainValue[]).filter((item): item is PlainMap => item instanceof Map) : [];
}

function answerDifferences(expect: Expectation, answer: PlainMap, status: number): string[] {
  const body = answerBody(answer);
  const found = [
    ...statusDifferences(expect.status, status),
    ...headerDifferences(expect.headers, answer.get('headers')),
    ...(expect.body === undefined ? [] : differencesOf(expect.body, body, 'body', 'part')),
    ...(expect.exactly === undefined ? [] : differencesOf(expect.exactly, body, 'body', 'whole')),
    ...matchDifferences(expect.matches, body),
  ];
  if (found.length === 0) return [];
  const error = answer.get('error');
  const place = error instanceof Map ? error.get('place') : undefined;
  return [...found, `the answer was ${status} ${shown(body)}${typeof place === 'string' ? ` (${place})` : ''}`];
}

/** Body as a caller receives it: an error without its place. */
function answerBody(answer: PlainMap): PlainValue {
  const error = answer.get('error');
  if (!(error instanceof Map)) return answer.get('result') ?? null;
  return new Map([...error].filter(([name]) => name !== 'place'));
}

function statusDifferences(expected: number | undefined, status: number): readonly string[] {
  if (expected === undefined) return status < FIRST_REFUSAL ? [] : [`status: expected one below ${FIRST_REFUSAL}, got ${status}`];
  return expected === status ? [] : [`status: expected ${expected}, got ${status}`];
}

/** Compares headers without regard to case. */
function headerDifferences(expected: Expectation['headers'], headers: PlainValue | undefined): readonly string[] {
  const sent = headers instanceof Map ? [...headers] : [];
  const actual = new Map(sent.map(([name, value]) => [name.toLowerCase(), String(value)]));
  return [...expected].flatMap(([name, text]) => {
    const value = actual.get(name.toLowerCase());
    if (text === null) return value === undefined ? [] : [`headers.${name}: nothing was expected, got ${shown(value)}`];
    if (value === undefined) return [`headers.${name}: expected ${shown(text)}, but it is not there`];
    return value === text ? [] : [`headers.${name}: expected ${shown(text)}, got ${shown(value)}`];
  });
}

function matchDifferences(expected: Expectation['matches'], body: PlainValue): readonly string[] {
  return [...expected].flatMap(([path, pattern]) => {
    const value = valueAt(body, path);
    const where = `body.${path}`.replace(/^body\.(?=\$|\[)\$?/, 'body');
    if (value === undefined) return [`${where}: expected what matches ${pattern.pattern()}, but it is not there`];
    return pattern.matcher(textOfValue(value)).find() ? [] : [`${where}: expected what matches ${pattern.pattern()}, got ${shown(value)}`];
  });
}

function afterDifferences({ after }: TestCase, answer: PlainMap): readonly string[] {
  const results = answer.get('after');
  const rows = Array.isArray(results) ? (results as readonly PlainValue[]) : [];
  return [...after].flatMap(([sql, expected], index) => differencesOf(expected, rows[index], `after ${JSON.stringify(sql)}`, 'part'));
}
