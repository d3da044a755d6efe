/** Formats test results: for people, as TAP, and as JUnit XML. No I/O. */
import type { CaseResult } from './run-case.ts';

export interface FileResult {
  readonly file: string;
  readonly cases: readonly CaseResult[];
  /** Reasons why the file could not be run. */
  readonly problems: readonly string[];
  /** Steps of the definition that no case reached. */
  readonly unreached: readonly string[];
}

/** Reports each file after its run, and the total at the end. */
export interface Reporter {
  begin(): string;
  file(result: FileResult): string;
  end(results: readonly FileResult[]): string;
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly millis: number;
}

export function totalsOf(results: readonly FileResult[]): Totals {
  const all = results.flatMap(entriesOf);
  const failed = all.filter(({ differences }) => differences.length > 0).length;
  return { passed: all.length - failed, failed, millis: all.reduce((sum, { millis }) => sum + millis, 0) };
}

/** A file that cannot be run counts as one failure. */
function entriesOf({ cases, problems }: FileResult): readonly CaseResult[] {
  return problems.length === 0 ? cases : [{ name: 'the test file can be run', differences: problems, millis: 0, reached: [] }];
}

export const PLAIN: Reporter = {
  begin: () => '',
  file(result) {
    const lines = entriesOf(result).flatMap(({ name, differences, millis }) => [
      `  ${differences.length === 0 ? 'ok    ' : 'failed'}  ${oneLine(name)} (${millis} ms)`,
      ...differences.map((line) => `            ${oneLine(line)}`),
    ]);
    return [result.file, ...lines, ...result.unreached.map((step) => `  no case reached ${step}`), ''].join('\n');
  },
  end(results) {
    const { passed, failed, millis } = totalsOf(results);
    return `${passed} passed, ${failed} failed (${(millis / 1000).toFixed(1)} s)\n`;
  },
};

/** https://testanything.org, version 13. */
export function tapReporter(): Reporter {
  let count = 0;
  return {
    begin: () => 'TAP version 13\n',
    file(result) {
      const lines = entriesOf(result).flatMap(({ name, differences, millis }) => {
        count++;
        const title = `${result.file}: ${oneLine(name)}`.replaceAll('\\', '\\\\').replaceAll('#', '\\#');
        const why = differences.length === 0 ? [] : ['  differences:', ...differences.map((line) => `    - ${JSON.stringify(line)}`)];
        return [`${differences.length === 0 ? 'ok' : 'not ok'} ${count} - ${title}`, '  ---', `  duration_ms: ${millis}`, ...why, '  ...'];
      });
      return [...lines, ...result.unreached.map((step) => `# ${result.file}: no case reached ${step}`), ''].join('\n');
    },
    end(results) {
      const { passed, failed } = totalsOf(results);
      return `1..${count}\n# tests ${count}\n# pass ${passed}\n# fail ${failed}\n`;
    },
  };
}

export function junitXml(results: readonly FileResult[]): string {
  const { passed, failed, millis } = totalsOf(results);
  const counts = `tests="${passed + failed}" failures="${failed}" errors="0" time="${seconds(millis)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="millrace" ${counts}>\n${results.map(suite).join('')}</testsuites>\n`;
}

function suite(result: FileResult): string {
  const { passed, failed, millis } = totalsOf([result]);
  const head = `  <testsuite name="${xml(result.file)}" tests="${passed + failed}" failures="${failed}" errors="0" skipped="0" time="${seconds(millis)}">\n`;
  const told = result.unreached.map((step) => `no case reached ${step}\n`).join('');
  const out = told === '' ? '' : `    <system-out>${xml(told)}</system-out>\n`;
  return `${head}${entriesOf(result)
    .map((one) => testCase(result.file, one))
    .join('')}${out}  </testsuite>\n`;
}

function testCase(file: string, { name, differences, millis }: CaseResult): string {
  const head = `    <testcase classname="${xml(file)}" name="${xml(name)}" time="${seconds(millis)}"`;
  if (differences.length === 0) return `${head}/>\n`;
  const [first = ''] = differences;
  return `${head}>\n      <failure message="${xml(first)}">${xml(differences.join('\n'))}</failure>\n    </testcase>\n`;
}

function seconds(millis: number): string {
  return (millis / 1000).toFixed(3);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };

/** Removes characters that XML cannot contain. */
function xml(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd').replace(/[&<>"\n]/g, (c) => ESCAPES[c] ?? c);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}
