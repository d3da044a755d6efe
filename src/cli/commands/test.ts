/**
 * `millrace test`: runs the cases of test files on a running service, each in a transaction that is
 * rolled back.
 */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, clientSettings } from '../../config.ts';
import { CLIENT_FLAGS, Client } from '../client/client.ts';
import { Flags } from '../client/client-flags.ts';
import { inContext } from '../client/identifiers.ts';
import { type FileResult, junitXml, PLAIN, type Reporter, tapReporter, totalsOf } from '../testing/report.ts';
import { runCase } from '../testing/run-case.ts';
import { isTestFile, readTestFile, type TestFile, TestFileError } from '../testing/test-file.ts';

const USAGE = 'test [FILES|DIR] [--only TEXT] [--tap] [--junit FILE]';

const HELP = `  millrace ${USAGE}

Runs the cases of orders.test.yaml and the like on a running service, in the space dev unless another is named. Each
case runs in a transaction that is rolled back. Without files, those of this folder and the folders in it are run.

  --only TEXT    only cases whose name has TEXT in it
  --tap          print TAP
  --junit FILE   write JUnit XML too

The exit code is 1 when a case fails. docs/reference/testing.md describes the files.
Where and who, also from the environment (MILLRACE_URL, MILLRACE_ORG_ID …) or millrace.yaml:
  ${CLIENT_FLAGS.map((flag) => `--${flag}`).join(' ')}
`;

export const TEST_COMMAND = { usage: USAGE, summary: 'run the tests of definitions on a running service', run: testCommand };

async function testCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  const flags = new Flags(args, { values: [...CLIENT_FLAGS, 'only', 'junit'], switches: ['tap'] });
  const files = filesOf(flags.rest.length === 0 ? ['.'] : flags.rest);
  const client = new Client(flags, settings());
  await client.resolveNames();
  const reporter: Reporter = flags.has('tap') ? tapReporter() : PLAIN;
  const print = (text: string): void => void process.stdout.write(text);
  print(reporter.begin());
  const results: FileResult[] = [];
  for (const file of files) {
    const result = await runFile(client, file, flags.get('only'));
    if (result === undefined) continue;
    results.push(result);
    print(reporter.file(result));
  }
  if (results.length === 0) throw new ConfigError(`no case has ${JSON.stringify(flags.get('only'))} in its name.`);
  print(reporter.end(results));
  const junit = flags.get('junit');
  if (junit !== undefined) writeFileSync(junit, junitXml(results));
  return totalsOf(results).failed === 0 ? 0 : 1;
}

/** Tests run in dev by default. A Power Token has a space of its own. */
function settings(): ReadonlyMap<string, string> {
  const given = clientSettings();
  return given.has('power_token') ? given : new Map([['space_id', 'dev'], ...given]);
}

function filesOf(named: readonly string[]): readonly string[] {
  return [...new Set(named.flatMap((name) => testFilesOf(name)))];
}

/** Test files of a folder, or beside a definition. */
function testFilesOf(name: string): readonly string[] {
  if (!existsSync(name)) throw new ConfigError(`there is no file or folder ${JSON.stringify(name)}.`);
  if (!statSync(name).isDirectory()) {
    const beside = name.replace(/\.(ya?ml)$/, '.test.$1');
    return [!isTestFile(name) && existsSync(beside) ? beside : name];
  }
  const found = testFilesIn(name);
  if (found.length === 0) throw new ConfigError(`there are no test files (*.test.yaml) in ${JSON.stringify(name)}.`);
  return found;
}

function testFilesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.isDirectory())
      return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : testFilesIn(join(folder, entry.name));
    return isTestFile(entry.name) ? [join(folder, entry.name)] : [];
  });
}

/**
 * Runs the cases one after the other, since their transactions may lock the same rows. Returns
 * `undefined` if no case is selected.
 */
async function runFile(client: Client, file: string, only: string | undefined): Promise<FileResult | undefined> {
  let tested: TestFile;
  try {
    tested = readTestFile(file);
  } catch (error) {
    if (!(error instanceof TestFileError)) throw error;
    return { file, cases: [], problems: error.lines, unreached: [] };
  }
  const wanted = tested.cases.filter(({ name }) => only === undefined || name.includes(only));
  if (wanted.length === 0) return undefined;
  const definition = inContext(client, tested.source);
  const cases = [];
  for (const one of wanted) cases.push(await runCase(client, definition, one));
  const reached = new Set(cases.flatMap((result) => result.reached));
  // A partial run does not report unreached steps.
  const unreached = only === undefined ? tested.steps.filter(({ key }) => !reached.has(key)).map(({ label }) => label) : [];
  return { file, cases, problems: [], unreached };
}
