/** Sends a form: a call of an endpoint, or a write to a table. */
import { type Exact, type ExactObject, isObject, parseExact, writeExact } from '../../ui/exact.ts';
import { send } from '../page/api.ts';
import type { Form } from '../page/document.ts';
import { fillValue, type Row, textOf } from '../page/fill.ts';
import { placeOfProject } from '../page/project.ts';
import { callUrl, type Pair, tableUrl } from '../page/rows.ts';
import type { Target } from './form-target.ts';

export interface Submission {
  readonly form: Form;
  readonly target: Target;
  /** Values of the fields that were touched. */
  readonly values: ExactObject;
  readonly key: readonly string[] | undefined;
  readonly etag: string | null;
  /** The row of an action. */
  readonly row: Row | undefined;
}

/** Engines without transactions and rows in their answers. */
const isPlainEngine = (table: string): boolean => table.startsWith('ch/');

/** Values that the form sets itself. */
function ownValues({ values = {} }: Form, row: Row | undefined): ExactObject {
  const filled = Object.entries(values).map(([name, value]): readonly [string, Exact] => {
    if (typeof value !== 'string' || !value.startsWith('?:')) return [name, value as Exact];
    const texts = fillValue(value, row);
    return [name, texts.length > 1 ? texts : (texts[0] ?? null)];
  });
  return Object.fromEntries(filled);
}

/** Returns the row or the result of the answer, for the message. */
export async function sendForm(submission: Submission): Promise<ExactObject> {
  const { form, target, row } = submission;
  const values: ExactObject = { ...submission.values, ...ownValues(form, row) };
  return target.operation === 'call' ? call(submission, values) : write(submission, values);
}

async function call({ form, target }: Submission, values: ExactObject): Promise<ExactObject> {
  const used = new Set<string>();
  const uri = target.to.replace(/\{([^}]+)\}/g, (_, name: string) => {
    used.add(name);
    return textOf(values[name] ?? '');
  });
  const rest = Object.entries(values).filter(([name]) => !used.has(name));
  const version: readonly Pair[] = form.version === undefined ? [] : [['version', String(form.version)]];
  const method = (form.method ?? 'post').toUpperCase();
  const place = await placeOfProject();
  if (method === 'DELETE') {
    const pairs = rest.flatMap(([name, value]): Pair[] => (value === null ? [] : [[name, textOf(value)]]));
    return resultOf((await send(callUrl(place, uri, [...pairs, ...version]), { method })).text);
  }
  const body = target.inputType === 'json' ? writeExact(Object.fromEntries(rest)) : formBody(rest);
  const headers = target.inputType === 'json' ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return resultOf((await send(callUrl(place, uri, version), { method, body, headers })).text);
}

const formBody = (values: readonly (readonly [string, Exact])[]): string =>
  new URLSearchParams(values.flatMap(([name, value]) => (value === null ? [] : [[name, textOf(value)] as [string, string]]))).toString();

async function write({ form, target, key, etag }: Submission, values: ExactObject): Promise<ExactObject> {
  const { to, operation } = target;
  const needsRows = JSON.stringify(form.done ?? '').includes('{') && !isPlainEngine(to);
  const pairs: readonly Pair[] = needsRows ? [['$return', 'rows']] : [];
  const headers: Record<string, string> = etag === null || isPlainEngine(to) ? {} : { 'if-match': etag };
  if (operation === 'insert')
    return resultOf((await send(tableUrl(to, pairs), { method: 'POST', body: `[${writeExact(values)}]` })).text, values);
  const url = tableUrl(to, pairs, key ?? []);
  if (operation === 'delete') return resultOf((await send(url, { method: 'DELETE', headers })).text, values);
  return resultOf((await send(url, { method: 'PATCH', body: writeExact(values), headers })).text, values);
}

/** The first row of an answer, or the object itself; `sent` where the answer has no rows. */
function resultOf(text: string, sent: ExactObject = {}): ExactObject {
  const value = text === '' ? null : parseExact(text);
  const first = Array.isArray(value) ? (value as readonly Exact[])[0] : value;
  return isObject(first) ? { ...sent, ...first } : sent;
}
