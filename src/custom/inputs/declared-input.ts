/**
 * Checks the input of a call against its declaration, converts values and fills in defaults.
 * Reports all problems in one error. Independent of HTTP.
 */
import { apiError } from '../../errors.ts';
import { nextSlice } from '../../util/concurrency/loop-scheduler.ts';
import { writeJson } from '../../util/json/json.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import { type CheckedField, type CheckedFields, compileFields, type FieldProblem, type Origin, wrong } from './checks.ts';
import type { Declarations } from './declaration.ts';

/** Values by name and origin. */
export interface SentInput {
  readonly query: PlainMap;
  readonly path: PlainMap | undefined;
  readonly body: PlainMap | undefined;
  /** `text` if the values of the body are strings (forms). */
  readonly bodyOrigin: Origin;
}

/** Query parameters of the service that need no declaration. */
const UNDECLARED_PARAMETERS: ReadonlySet<string> = new Set(['version']);
const NONE: ReadonlySet<string> = new Set();

export class DeclaredInput {
  readonly declarations: Declarations;
  readonly #fields: CheckedFields;

  constructor(declarations: Declarations) {
    this.declarations = declarations;
    this.#fields = compileFields(declarations);
  }

  /** Checks and completes the sent values in place. */
  check(sent: SentInput): PlainMap {
    const problems: FieldProblem[] = [];
    const input = sent.body ?? sent.query;
    for (const [name, field] of this.#fields) this.#settle(name, field, sent, input, problems);
    this.#undeclared(sent, input, problems);
    throwProblems(problems);
    return input;
  }

  /** Checks a large input, one field per slice. */
  async checkInSlices(sent: SentInput, owner: string): Promise<PlainMap> {
    const input = sent.body;
    if (input === undefined) return this.check(sent);
    const problems: FieldProblem[] = [];
    for (const [name, field] of this.#fields) {
      await nextSlice(owner);
      this.#settle(name, field, sent, input, problems);
    }
    this.#undeclared(sent, input, problems);
    throwProblems(problems);
    return input;
  }

  #settle(name: string, field: CheckedField, sent: SentInput, input: PlainMap, problems: FieldProblem[]): void {
    const value = this.#value(name, field, sent, problems);
    if (input.get(name) !== value) input.set(name, value);
  }

  #value(name: string, field: CheckedField, { path, body, bodyOrigin, query }: SentInput, problems: FieldProblem[]): PlainValue {
    const { check } = field;
    const inPath = path?.get(name);
    const inBody = body?.get(name);
    const inQuery = query.get(name);
    if (inPath !== undefined) {
      const value = check(inPath, 'text', name, problems);
      const other = inBody ?? inQuery;
      if (other !== undefined && !isSame(check(other, inBody === undefined ? 'text' : bodyOrigin, name, []), value))
        wrong(problems, name, 'is in the path and is sent with another value');
      return value;
    }
    if (inBody !== undefined) return check(inBody, bodyOrigin, name, problems);
    return inQuery === undefined ? field.absent(name, problems) : check(inQuery, 'text', name, problems);
  }

  /**
   * Reports undeclared names. All declared names are in the input already, so equal sizes rule out
   * any other.
   */
  #undeclared({ query, path, body }: SentInput, input: PlainMap, problems: FieldProblem[]): void {
    const hasMore = input.size > this.#fields.size;
    if (hasMore || body !== undefined) this.#others(query, UNDECLARED_PARAMETERS, path, problems);
    if (hasMore && body !== undefined) this.#others(body, NONE, path, problems);
    if (path !== undefined) for (const [name, value] of path) if (!this.#fields.has(name)) input.set(name, value);
  }

  #others(values: PlainMap, allowed: ReadonlySet<string>, path: PlainMap | undefined, problems: FieldProblem[]): void {
    for (const [name, value] of values) {
      if (this.#fields.has(name) || allowed.has(name)) continue;
      if (path?.has(name) === true) checkConflict(problems, name, path.get(name), value);
      else wrong(problems, name, 'is not declared');
    }
  }
}

/** Reports a value that contradicts the path. */
export function checkConflict(problems: FieldProblem[], name: string, inPath: PlainValue | undefined, other: PlainValue): void {
  if (String(inPath) !== String(other)) wrong(problems, name, 'is in the path and is sent with another value');
}

function isSame(a: PlainValue, b: PlainValue): boolean {
  return a === b || writeJson(a) === writeJson(b);
}

export function throwProblems(problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  const list = problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw apiError('input_invalid', list).withErrors(problems);
}
