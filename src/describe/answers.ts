/**
 * Statuses, headers, media type and result of an endpoint, read from its definition without running
 * it. Facts that depend on a run are left open. Pure.
 */
import type { DefinitionDocument } from '../custom/document/document.ts';
import { parseTemplate } from '../sql/template/parse-template.ts';
import { SqlProblem } from '../sql/template/scan.ts';
import type { SqlSyntax } from '../sql/template/syntax.ts';
import type { DescribedAnswer } from './description.ts';

type Response = NonNullable<DefinitionDocument['response']>;

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|#[^\n]*|\/\/[^\n]*/g;
const STATUS = /(?<![\w.])([2-5]\d\d)(?![\w.])/g;
const REFUSAL = /\brefuse\s*\(\s*(?:(4\d\d)\s*,)?/g;
const ONE_TEXT = /^\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*$/;

const distinct = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)].sort((a, b) => a - b);

export function answerOf(document: DefinitionDocument): DescribedAnswer {
  const { response, config } = document;
  const refusals = document.logic.flatMap(({ kind, code }) => (kind === 'sql' ? [] : [...code.replace(TEXTS, '""').matchAll(REFUSAL)]));
  const known = refusals.flatMap(([, status]) => (status === undefined ? [] : [Number(status)]));
  return {
    ...statusesOf(response?.status),
    headers: response?.headers.map(({ header }) => header) ?? [],
    file: response?.file === undefined ? undefined : mediaTypeOf(response.file.type),
    refusals: distinct(known),
    refusesOther: known.length < refusals.length,
    result: response?.body === undefined ? resultOf(document) : 'unknown',
    onlyReads: document.logic.every(({ kind, code }) => kind !== 'sql' || reads(code, document.database.engine.syntax)),
    isCached: config.cacheResult,
  };
}

function reads(code: string, syntax: SqlSyntax): boolean {
  try {
    return parseTemplate(code, syntax).facts.reads;
  } catch (error) {
    if (error instanceof SqlProblem) return false;
    throw error;
  }
}

/** Returns the numbers in an expression. Any status is possible if it contains none. */
function statusesOf(status: Response['status'] | undefined): Pick<DescribedAnswer, 'statuses' | 'isOpen'> {
  if (status === undefined) return { statuses: [200], isOpen: false };
  if (typeof status === 'number') return { statuses: [status], isOpen: false };
  const found = [...status.code.replace(TEXTS, '""').matchAll(STATUS)].map(([, text]) => Number(text));
  return { statuses: distinct(found), isOpen: found.length === 0 };
}

function mediaTypeOf(type: NonNullable<Response['file']>['type']): string {
  if (type === undefined) return 'application/octet-stream';
  const [, double, single] = ONE_TEXT.exec(type.code) ?? [];
  return double ?? single ?? '*/*';
}

/** Classifies the last step that is not omitted, which returns the result. */
function resultOf({ logic }: DefinitionDocument): DescribedAnswer['result'] {
  const step = logic.findLast(({ omit }) => !omit) ?? logic.at(-1);
  if (step?.kind !== 'sql') return 'unknown';
  const words = step.code.replace(/--[^\n]*/g, ' ').trim();
  if (/^select\b/i.test(words)) return /\binto\b/i.test(words) ? 'unknown' : 'rows';
  if (/^(?:insert|update|delete)\b/i.test(words)) return /\breturning\b/i.test(words) ? 'rows' : 'count';
  return 'unknown';
}
