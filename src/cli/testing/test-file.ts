/**
 * Reads a test file (`orders.test.yaml`): its definition and its cases. Reports all problems at
 * once, each with its line.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { RE2JS } from 're2js';
import {
  type LineProblem,
  type ListTree,
  type MapTree,
  parseTree,
  type ScalarTree,
  type Tree,
  YamlProblems,
} from '../../custom/yaml/yaml-tree.ts';
import { re2 } from '../../util/on-demand.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';

/** Expected parts of the result. Absent parts are not compared. */
export interface Expectation {
  /** `undefined` means any status below 400. */
  readonly status: number | undefined;
  readonly headers: ReadonlyMap<string, string | null>;
  /** A subset of the body. */
  readonly body: PlainValue | undefined;
  /** The whole body. */
  readonly exactly: PlainValue | undefined;
  /** Patterns by path of the body. */
  readonly matches: ReadonlyMap<string, RE2JS>;
}

export interface TestCase {
  readonly name: string;
  readonly line: number;
  readonly before: readonly string[];
  /** `undefined` means the roles of the user who runs the tests. */
  readonly roles: readonly string[] | undefined;
  readonly input: PlainMap | undefined;
  readonly query: string | undefined;
  readonly keep: boolean;
  readonly expect: Expectation;
  /** Statements with the rows, or a subset of them, that each must return. */
  readonly after: ReadonlyMap<string, PlainValue>;
}

/** A step of the tested definition, as reports name it. */
export interface TestedStep {
  readonly key: string;
  readonly label: string;
}

export interface TestFile {
  readonly file: string;
  /** Path and text of the definition. */
  readonly definition: string;
  readonly source: string;
  readonly steps: readonly TestedStep[];
  readonly cases: readonly TestCase[];
}

/** A test file or definition that cannot be used, with the reasons. */
export class TestFileError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

const ENDING = /\.test\.ya?ml$/;

export function isTestFile(name: string): boolean {
  return ENDING.test(name);
}

const FIELDS = ['definition', 'cases'];
const CASE_FIELDS = ['name', 'before', 'roles', 'input', 'query', 'keep', 'expect', 'after'];
const EXPECT_FIELDS = ['status', 'headers', 'body', 'exactly', 'matches'];

export function readTestFile(file: string): TestFile {
  const reader = new Reader();
  const root = treeOf(file);
  const top = reader.map(root, 'the file', FIELDS);
  const named = reader.text(top?.fields.get('definition'), 'definition');
  const list = top?.fields.get('cases');
  const items = list === undefined ? [] : reader.list(list, 'cases');
  if (items.length === 0 && reader.problems.length === 0) reader.problem(list ?? root, 'cases must list at least one case');
  const cases = items.map((item, index) => reader.case(item, index));
  reader.unlike(items, cases);
  if (reader.problems.length > 0) throw new TestFileError(reader.problems.map((problem) => sentenceOf(file, problem)));
  const beside = named ?? basename(file).replace(ENDING, '.yaml');
  const definition = isAbsolute(beside) ? beside : join(dirname(file), beside);
  return { file, definition, source: textOf(definition), steps: stepsOf(definition), cases };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new TestFileError([`${file}: it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`]);
  }
}

function treeOf(file: string): Tree {
  try {
    return parseTree(textOf(file));
  } catch (error) {
    if (!(error instanceof YamlProblems)) throw error;
    throw new TestFileError(error.problems.map((problem) => sentenceOf(file, problem)));
  }
}

function sentenceOf(file: string, { line, column, message }: LineProblem): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** The service reports problems of a definition; one that cannot be read has no steps here. */
function stepsOf(definition: string): readonly TestedStep[] {
  const root = treeOf(definition);
  const logic = root.kind === 'map' ? root.fields.get('logic') : undefined;
  if (logic?.kind !== 'list') return [];
  return logic.items.map((item, index) => {
    const fields = item.kind === 'map' ? item.fields : new Map<string, Tree>();
    const kind = ['sql', 'lark', 'expr'].find((word) => fields.has(word)) ?? '';
    const name = kind === 'sql' ? undefined : fields.get(kind);
    return { key: `step_${index}`, label: `step_${index} (${name?.kind === 'scalar' ? `${kind} ${name.text}` : kind})` };
  });
}

class Reader {
  readonly problems: LineProblem[] = [];

  problem({ line, column }: Tree, message: string): void {
    this.problems.push({ line, column, message });
  }

  case(tree: Tree, index: number): TestCase {
    const what = `cases[${index}]`;
    const map = this.map(tree, what, CASE_FIELDS);
    const field = (name: string): Tree | undefined => map?.fields.get(name);
    const name = this.text(field('name'), `${what}.name`);
    if (map !== undefined && (name ?? '') === '') this.problem(tree, `${what} needs a name`);
    const input = field('input');
    const roles = field('roles');
    return {
      name: name ?? what,
      line: tree.line,
      before: this.texts(field('before'), `${what}.before`),
      roles: roles === undefined ? undefined : this.texts(roles, `${what}.roles`),
      input: input === undefined ? undefined : (this.#object(input, `${what}.input`) ?? new Map()),
      query: this.text(field('query'), `${what}.query`),
      keep: this.#flag(field('keep'), `${what}.keep`),
      expect: this.#expectation(field('expect'), `${what}.expect`),
      after: new Map([...this.#fields(field('after'), `${what}.after`)].map(([sql, rows]) => [sql, plainOfTree(rows)])),
    };
  }

  /** Rejects two cases with the same name. */
  unlike(items: readonly Tree[], cases: readonly TestCase[]): void {
    const seen = new Set<string>();
    cases.forEach(({ name }, index) => {
      if (seen.has(name)) this.problem(items[index] as Tree, `there are two cases named ${JSON.stringify(name)}`);
      seen.add(name);
    });
  }

  #expectation(tree: Tree | undefined, what: string): Expectation {
    const fields = tree === undefined ? undefined : this.map(tree, what, EXPECT_FIELDS)?.fields;
    const part = (name: string): PlainValue | undefined => {
      const value = fields?.get(name);
      return value === undefined ? undefined : plainOfTree(value);
    };
    const headers = [...this.#fields(fields?.get('headers'), `${what}.headers`)].map(([name, value]) => {
      if (value.kind !== 'scalar')
        this.problem(value, `${what}.headers.${name} must be a text, or null for a header that must not be there`);
      return [name, value.kind === 'scalar' && value.value !== null ? value.text : null] as const;
    });
    const matches = [...this.#fields(fields?.get('matches'), `${what}.matches`)].flatMap(([path, value]) => {
      const pattern = this.#pattern(value, `${what}.matches.${path}`);
      return pattern === undefined ? [] : [[path, pattern] as const];
    });
    return {
      status: this.#status(fields?.get('status'), `${what}.status`),
      headers: new Map(headers),
      body: part('body'),
      exactly: part('exactly'),
      matches: new Map(matches),
    };
  }

  #status(tree: Tree | undefined, what: string): number | undefined {
    if (tree === undefined) return undefined;
    const status = tree.kind === 'scalar' ? Number(tree.text) : Number.NaN;
    if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
    this.problem(tree, `${what} must be a number from 200 to 599`);
    return undefined;
  }

  #pattern(tree: Tree, what: string): RE2JS | undefined {
    try {
      if (tree.kind === 'scalar') return re2().RE2JS.compile(tree.text);
      this.problem(tree, `${what} must be a regular expression`);
    } catch (error) {
      this.problem(tree, `${what} is no regular expression: ${(error as Error).message}`);
    }
    return undefined;
  }

  map(tree: Tree, what: string, known: readonly string[]): MapTree | undefined {
    if (tree.kind !== 'map') {
      this.problem(tree, `${what} must have the fields ${known.join(', ')}`);
      return undefined;
    }
    for (const [name, field] of tree.fields)
      if (!known.includes(name)) this.problem(field, `${what} has no field ${JSON.stringify(name)}; use one of ${known.join(', ')}`);
    return tree;
  }

  list(tree: Tree, what: string): ListTree['items'] {
    if (tree.kind === 'list') return tree.items;
    this.problem(tree, `${what} must be a list`);
    return [];
  }

  text(tree: Tree | undefined, what: string): string | undefined {
    if (tree === undefined) return undefined;
    if (tree.kind === 'scalar' && tree.value !== null) return tree.text;
    this.problem(tree, `${what} must be a text`);
    return undefined;
  }

  texts(tree: Tree | undefined, what: string): readonly string[] {
    const items = tree === undefined ? [] : this.list(tree, what);
    return items.map((item, index) => this.text(item, `${what}[${index}]`) ?? '');
  }

  #fields(tree: Tree | undefined, what: string): MapTree['fields'] {
    if (tree?.kind === 'map') return tree.fields;
    if (tree !== undefined) this.problem(tree, `${what} must be a mapping`);
    return new Map();
  }

  #object(tree: Tree, what: string): PlainMap | undefined {
    const value = plainOfTree(tree);
    if (value instanceof Map) return value;
    this.problem(tree, `${what} must be a mapping`);
    return undefined;
  }

  #flag(tree: Tree | undefined, what: string): boolean {
    if (tree === undefined || (tree.kind === 'scalar' && typeof tree.value === 'boolean'))
      return (tree as ScalarTree | undefined)?.value === true;
    this.problem(tree, `${what} must be true or false`);
    return false;
  }
}

const WHOLE = /^[+-]?\d+$/;

/** The value of a YAML node, with all digits of its numbers. */
function plainOfTree(tree: Tree): PlainValue {
  if (tree.kind === 'list') return tree.items.map(plainOfTree);
  if (tree.kind === 'map') return new Map([...tree.fields].map(([name, field]) => [name, plainOfTree(field)]));
  if (typeof tree.value !== 'number') return tree.value;
  if (!WHOLE.test(tree.text)) return new Decimal(tree.text);
  return Number.isSafeInteger(tree.value) ? tree.value : BigInt(tree.text);
}
