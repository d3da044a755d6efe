// Equal steps share one compilation; any difference in source or scope yields another step.
import { expect, test } from 'vitest';
import type { StepSource } from '../../src/custom/document/document-logic.ts';
import { StepProblems, type StepScope } from '../../src/custom/steps/step.ts';
import { StepCache } from '../../src/custom/steps/step-cache.ts';
import { mysqlEngine } from '../../src/engines/mysql/index.ts';
import { postgresEngine } from '../../src/engines/postgres/index.ts';

const cache = new StepCache();

const SQL: StepSource = {
  index: 1,
  kind: 'sql',
  name: undefined,
  code: 'SELECT * FROM t WHERE a = ?:a',
  codeAt: { line: 7, column: 1 },
  codeIndent: 0,
  omit: false,
};
const EXPR: StepSource = { ...SQL, kind: 'expr', name: 'sum', code: 'len(before)' };
const LARK: StepSource = { ...SQL, kind: 'lark', name: 'sum', code: 'result = len(before)' };
const SCOPE: StepScope = {
  engine: postgresEngine,
  names: new Map([['before', 0]]),
  count: 1,
  modules: new Map(),
  inputs: undefined,
  owner: '',
  stage: 'call',
};

test('equal steps are compiled once', () => {
  for (const source of [SQL, EXPR])
    expect(cache.compile({ ...source }, { ...SCOPE, names: new Map(SCOPE.names) })).toBe(cache.compile(source, SCOPE));
});

test('any difference in source or scope compiles another step', async () => {
  const variants: readonly (readonly [StepSource, StepScope])[] = [
    ...[SQL, EXPR].flatMap((source) =>
      [
        source,
        { ...source, index: 0 },
        { ...source, codeAt: { line: 8, column: 1 } },
        { ...source, omit: true },
        { ...source, code: `${source.code} ` },
      ].map((one) => [one, SCOPE] as const),
    ),
    [{ ...EXPR, name: 'other' }, SCOPE],
    [SQL, { ...SCOPE, engine: mysqlEngine }],
    [SQL, { ...SCOPE, stage: 'deploy' }],
    [SQL, { ...SCOPE, count: 2 }],
    [SQL, { ...SCOPE, names: new Map([['a', 0]]) }],
    [SQL, { ...SCOPE, names: new Map() }],
  ];
  const steps = await Promise.all(variants.map(([source, scope]) => cache.compile(source, scope)));
  expect(new Set(steps).size).toBe(variants.length);
  expect(steps.map(({ source: { index, codeAt, omit, code } }) => [index, codeAt, omit, code])).toEqual(
    variants.map(([{ index, codeAt, omit, code }]) => [index, codeAt, omit, code]),
  );
});

test('lark steps are compiled per definition, because their modules differ', () => {
  expect(cache.compile(LARK, SCOPE)).not.toBe(cache.compile(LARK, SCOPE));
});

test('invalid code is rejected each time', () => {
  const broken = { ...EXPR, code: 'len(' };
  for (let i = 0; i < 2; i++) expect(() => cache.compile(broken, SCOPE)).toThrow(StepProblems);
});
