/** The `response` section of a definition, compiled with it and evaluated before the commit. */
import { apiError } from '../../errors.ts';
import { compileExprFor } from '../../lang/compile.ts';
import type { CompiledExpr } from '../../lang/expr/index.ts';
import { runStep } from '../../lang/sandbox/index.ts';
import { CompileError } from '../../lang/source.ts';
import { Decimal, type PlainValue } from '../../util/text/decimal.ts';
import { type ResponseDocument, type ResponseSource, STATUSES } from '../document/document-response.ts';
import { explainStep } from '../failures.ts';
import {
  type CodeProblem,
  compileTenant,
  environmentNames,
  environmentValues,
  lengthOf,
  ProgramOptions,
  resultsBehind,
  type StepFrame,
  StepProblems,
  type StepScope,
} from '../steps/step.ts';

/** Statuses of responses without a body. */
export const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Evaluated response of one call. */
export interface ResponseReply {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** `undefined` responds with the result of the steps. */
  readonly value: PlainValue | undefined;
  /** Replaces the value. */
  readonly file: { readonly type: string; readonly data: Buffer } | undefined;
}

interface Part {
  readonly label: string;
  readonly name: string;
  evaluate(frame: StepFrame): PlainValue | Promise<PlainValue>;
}

export interface CompiledResponse {
  /** Indices of the step results that it reads. */
  readonly needs: ReadonlySet<number>;
  readonly readsContext: boolean;
  readonly inputNames: readonly string[];
  readonly answersFile: boolean;
  readonly hasBody: boolean;
  evaluate(frame: StepFrame): Promise<ResponseReply>;
}

/** Throws StepProblems with all expressions that do not compile. */
export async function compileResponse(document: ResponseDocument, scope: StepScope): Promise<CompiledResponse> {
  const problems: CodeProblem[] = [];
  const expressions: CompiledExpr[] = [];
  const part = async (source: ResponseSource | undefined): Promise<Part | undefined> => {
    if (source === undefined) return undefined;
    const compiled = await compile(source, scope, problems);
    if (compiled !== undefined) expressions.push(compiled);
    return compiled && partOf(source, compiled, scope);
  };
  const { status, file } = document;
  const compiledStatus = typeof status === 'number' ? undefined : await part(status);
  const headers: { readonly header: string; readonly part: Part | undefined }[] = [];
  for (const source of document.headers) headers.push({ header: source.header, part: await part(source) });
  const body = await part(document.body);
  const parts = file && { name: await part(file.name), type: await part(file.type), data: await part(file.data) };
  if (problems.length > 0) throw new StepProblems(problems);
  const uses = new Set(expressions.flatMap((compiled) => [...compiled.uses]));
  return {
    needs: resultsBehind(uses, scope),
    readsContext: uses.has('context'),
    inputNames: expressions.flatMap(({ members }) => [...members]),
    answersFile: file !== undefined,
    hasBody: body !== undefined,
    async evaluate(frame) {
      const code = compiledStatus === undefined ? (status as number | undefined) : statusOf(await value(compiledStatus, frame));
      const reply: string[] = [];
      for (const { header, part: source } of headers) {
        const text = source && headerText(source, await value(source, frame));
        if (text !== undefined) reply.push(header, text);
      }
      const content = parts && (await fileOf(parts, frame, reply));
      return { status: code ?? 200, headers: reply, value: body && (await value(body, frame)), file: content };
    },
  };
}

async function compile({ name, code, at }: ResponseSource, scope: StepScope, problems: CodeProblem[]): Promise<CompiledExpr | undefined> {
  try {
    return await compileExprFor(compileTenant(scope), code, { names: environmentNames(scope), file: `response.${name}`, watch: 'input' });
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    for (const { line, column, message } of error.problems)
      problems.push({
        line: at.line + line - 1,
        column: line === 1 ? at.column + column - 1 : column,
        message: `response.${name}: ${message}`,
        kind: 'code',
      });
    return undefined;
  }
}

function partOf({ name, code }: ResponseSource, compiled: CompiledExpr, scope: StepScope): Part {
  const reads = [...compiled.uses];
  const length = lengthOf(code);
  return {
    name,
    label: `response.${name}`,
    evaluate(frame) {
      const values = environmentValues(reads, frame, scope.names);
      return runStep('expr', { compiled, values }, frame.limits, new ProgramOptions(frame, length));
    },
  };
}

async function value(part: Part, frame: StepFrame): Promise<PlainValue> {
  try {
    return await part.evaluate(frame);
  } catch (error) {
    throw explainStep(error, part.label, frame.limits.millis);
  }
}

function statusOf(status: PlainValue): number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= STATUSES.min && status <= STATUSES.max) return status;
  throw apiError('response_invalid', 'status', `it must evaluate to a number from ${STATUSES.min} to ${STATUSES.max}`);
}

/** Characters other than printable Latin-1 and tab, line breaks among them. */
const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** `undefined` omits the header. */
function headerText({ name }: Part, header: PlainValue): string | undefined {
  if (header === null) return undefined;
  if (typeof header === 'object' && !(header instanceof Decimal))
    throw apiError('response_invalid', name, 'it must evaluate to a string or a number');
  const text = String(header);
  if (NOT_IN_HEADER.test(text))
    throw apiError('response_invalid', name, 'it has a line break or a character that is not allowed in a header');
  return text;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

interface FileParts {
  readonly name: Part | undefined;
  readonly type: Part | undefined;
  readonly data: Part | undefined;
}

async function fileOf({ name, type, data }: FileParts, frame: StepFrame, headers: string[]): Promise<ResponseReply['file']> {
  const text = data && (await value(data, frame));
  if (typeof text !== 'string' || !BASE64.test(text))
    throw apiError('response_invalid', 'file.data', 'it must evaluate to base64, or to bytes of the database');
  const filename = name && (await value(name, frame));
  if (filename !== undefined && filename !== null) headers.push('Content-Disposition', disposition(baseName(String(filename))));
  const media = (type && headerText(type, await value(type, frame))) ?? 'application/octet-stream';
  return { type: media, data: Buffer.from(text, 'base64') };
}

/** The last part of a path: a client must not be led out of its folder. */
function baseName(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return /^\.*$/.test(name) ? 'download' : name;
}

/** ASCII name for old clients, and the full name (RFC 6266) for the others. */
function disposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded =
    plain === name
      ? ''
      : `; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;
  return `attachment; filename="${plain}"${encoded}`;
}
