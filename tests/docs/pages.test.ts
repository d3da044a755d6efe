// Runs the documentation: every command, document, program and request of README, docs and
// examples, against the demo of `npm start`. Printed outputs are compared; a block of an unknown
// kind fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage, userPages } from '../support/documents.ts';
import { createDatabase, ENGINE_NAMES, type EngineName } from '../support/engines.ts';
import { sampled } from '../support/times.ts';
import { type Demo, demoWith, startDemo } from './demo.ts';
import { matchesJson, matchesText } from './expected.ts';
import { type PageReport, runPage } from './page-run.ts';
import { commandsOf } from './shell-session.ts';

let demo: Demo;
const reports: PageReport[] = [];

beforeAll(async () => {
  demo = await startDemo();
});

afterAll(async () => {
  await demo?.stop();
  const kinds = Object.keys(reports[0]?.tried ?? {});
  const sums = kinds.map((kind) => `${reports.reduce((sum, { tried }) => sum + (tried[kind] ?? 0), 0)} ${kind}`);
  const lines = reports
    .filter(({ tried }) => Object.values(tried).some((count) => count > 0))
    .map(({ page, tried }) => `  ${page}: ${kinds.flatMap((kind) => (tried[kind] ? [`${tried[kind]} ${kind}`] : [])).join(', ')}`);
  process.stdout.write(
    `docs tried: ${sums.join(', ')}; failed: ${reports.reduce((sum, { problems }) => sum + problems.length, 0)}\n${lines.sort().join('\n')}\n`,
  );
});

describe.concurrent('as printed', () => {
  test.each(sampled(8, userPages()))(
    '%s',
    async (file) => {
      const report = await runPage(demo, readPage(file));
      reports.push(report);
      expect(report.problems.join('\n\n')).toBe('');
    },
    600_000,
  );
});

const OWN_DATABASE = 'docs/tutorials/own-database.md';
/** Problems that the page itself announces for an engine. */
const NOT_THERE: Readonly<Partial<Record<EngineName, readonly unknown[]>>> = {
  mysql: [],
  mariadb: [],
  clickhouse: [expect.stringMatching(/answered 400\n.*\$expand=books/)],
};

describe.concurrent('your own database, on every other engine', () => {
  test.each(
    sampled(
      3,
      ENGINE_NAMES.filter((name) => name in NOT_THERE),
    ),
  )('%s', async (engine) => {
    const database = await createDatabase(engine);
    const page = readPage(OWN_DATABASE);
    const isColumns = engine === 'clickhouse';
    const [script] = page.fences.filter(({ language, text }) => language === 'sql' && text.startsWith('-- in ch/') === isColumns);
    for (const statement of (script?.text ?? '').split(/;$/m).filter((each) => each.trim() !== '')) await database.run(statement);
    const end = page.fences.find(({ text }) => text.includes('millrace org create'))?.line ?? 0;
    const fences = page.fences.filter(({ language, line }) => language !== 'sql' && line < end);
    const { problems, tried } = await runPage(demoWith(demo, database), { ...page, fences, spans: [] });
    expect(tried['requests']).toBeGreaterThan(12);
    expect(problems).toEqual(NOT_THERE[engine]);
    await database.drop();
  });
});

describe('the runner of pages', () => {
  test('splits a script into commands as a shell does', () => {
    const script = "a=1\n\n# a comment\ncurl 'x\ny' \\\n  -d z   # 404: it's gone\ncat <<'EOF' > f\nit's\nEOF\nb\n";
    expect(commandsOf(script, 10).map(({ line, text }) => [line, text.split('\n').length])).toEqual([
      [10, 1],
      [13, 3],
      [16, 3],
      [19, 1],
    ]);
  });

  test('compares outputs', () => {
    expect([matchesText('a … d', 'a b\nc d\n'), matchesText('a … d', 'a b'), matchesText('a.c', 'abc')]).toEqual([true, false, false]);
    expect(matchesJson([{ id: 1, name: '…' }, '…'], [{ id: 1, name: 'x' }, {}, {}])).toBe(true);
    expect(matchesJson([{ id: 1 }], [{ id: 1, name: 'x' }])).toBe(false);
    expect(matchesJson({ id: 1, '…': '…' }, { id: 1, name: 'x' })).toBe(true);
  });

  test('reports refused requests, failed commands, unset variables, wrong outputs and unknown blocks', async () => {
    const block = (language: string, text: string, line: number, isAttached = false) => ({
      page: 'wrong.md',
      language,
      text,
      line,
      isAttached,
    });
    const page = {
      file: 'wrong.md',
      headings: [],
      links: [],
      spans: [
        { page: 'wrong.md', line: 1, text: 'GET …/users?pg=0&ps=1&nothing=eq.1' },
        { page: 'wrong.md', line: 2, text: 'millrace definition deploy FILE --nothing' },
      ],
      fences: [
        block('sh', 'curl -s "http://127.0.0.1:8080/svc/nowhere"\nfalse\necho one\n', 10),
        block('text', 'two\n', 20, true),
        block('yaml', 'http: {uri: x}\nlogic: []\n', 30),
        block('haiku', 'an old silent pond\n', 40),
        block('sh', 'echo "$NOT_SET"\n', 50),
      ],
    };
    const { problems } = await runPage(demo, page);
    expect(problems.map((problem) => /^wrong\.md:(\d+)/.exec(problem)?.[1])).toEqual(['10', '11', '50', '20', '30', '40', '1', '2']);
  });
});
