/** A form: checks before it sends, sends once, and puts refusals where they belong. */
import { useContext, useId, useRef, useState } from 'preact/hooks';
import type { ExactObject } from '../../ui/exact.ts';
import { ApiFailure } from '../page/answer.ts';
import { forgetReads } from '../page/api.ts';
import { BlockBody, CurrentBlock, useReading } from '../page/block.tsx';
import { checkText } from '../page/check.ts';
import type { Form } from '../page/document.ts';
import { type Row, textOf, valueAt } from '../page/fill.ts';
import { reloadAll } from '../page/generation.ts';
import { askFirst } from './confirm.tsx';
import { FormInput } from './form-input.tsx';
import { sendForm } from './form-send.ts';
import { type FormField, jsonValueOf, operationOf, parseJson, readTarget, type Target } from './form-target.ts';
import { goTo, linkAddress } from './link.tsx';
import { fillKey, type OneRow, readOneRow } from './record.tsx';

const CHANGED = 412;
const NAMES_COLUMN = new Set([409, 422]);

interface Ready {
  readonly target: Target;
  readonly key: readonly string[] | undefined;
  readonly found: OneRow;
}

async function prepare(form: Form, row: Row | undefined): Promise<Ready> {
  const key = fillKey(form.key, row);
  const isUpdate = operationOf(form) === 'update';
  const [target, found] = await Promise.all([
    readTarget(form),
    isUpdate ? readOneRow(form.update ?? '', key, []) : { row: undefined, etag: null },
  ]);
  return { target, key, found };
}

export interface FormProps {
  readonly form: Form;
  /** The row of an action. */
  readonly row?: Row;
  readonly onDone?: (message: string) => void;
}

export function FormBlock({ form, row, onDone }: FormProps) {
  const reading = useReading(form, () => prepare(form, row), [row === undefined ? '' : JSON.stringify(fillKey(form.key, row))]);
  return (
    <BlockBody
      reading={reading}
      isEmpty={({ target, found }) => target.operation === 'update' && found.row === undefined}
      empty="This row does not exist."
    >
      {({ target, key, found }) =>
        target.operation === 'update' && found.row === undefined ? null : (
          <OpenForm {...{ form, target, found, row, onDone }} rowKey={key} />
        )
      }
    </BlockBody>
  );
}

/** Texts of the fields before anything is typed. */
function initialTexts(fields: readonly FormField[], row: Row | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = row === undefined ? undefined : valueAt(row, field.name);
      return [field.name, value === undefined || value === null ? (row === undefined ? (field.initial ?? '') : '') : textOf(value)];
    }),
  );
}

const BUTTONS: Readonly<Record<string, string>> = { call: 'Send', insert: 'Insert the row', update: 'Save', delete: 'Delete' };

interface OpenFormProps {
  readonly form: Form;
  readonly target: Target;
  readonly found: OneRow;
  readonly row: Row | undefined;
  readonly rowKey: readonly string[] | undefined;
  readonly onDone: ((message: string) => void) | undefined;
}

function OpenForm({ form, target, found: read, row, rowKey, onDone }: OpenFormProps) {
  const { fields, operation } = target;
  // While something is typed the form keeps the row that it was typed into.
  const held = useRef(read);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  if (Object.keys(texts).length === 0) held.current = read;
  const found = held.current;
  const start = initialTexts(fields, found.row);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [refusal, setRefusal] = useState<{ readonly message: string; readonly isChanged: boolean } | undefined>(undefined);
  const [done, setDone] = useState<string | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  const isBusy = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  // Each block is a tree of its own, whose ids begin with the same number.
  const id = `${useContext(CurrentBlock)?.id ?? 'action'}-${useId()}`;
  const textAt = (name: string): string => texts[name] ?? start[name] ?? '';

  const focusFirst = (names: Readonly<Record<string, string>>): void => {
    const first = fields.find(({ name }) => names[name] !== undefined);
    if (first !== undefined) element.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.name)}"]`)?.focus();
  };

  const fail = (error: unknown): void => {
    const placed = placeProblems(error, fields);
    setProblems(placed.byField);
    setRefusal(
      placed.rest === undefined ? undefined : { message: placed.rest, isChanged: error instanceof ApiFailure && error.status === CHANGED },
    );
    focusFirst(placed.byField);
  };

  const submit = async (): Promise<void> => {
    if (isBusy.current) return;
    setDone(undefined);
    setRefusal(undefined);
    const invalid = findProblems(fields, textAt, operation);
    setProblems(invalid);
    if (Object.keys(invalid).length > 0) return focusFirst(invalid);
    isBusy.current = true;
    setSending(true);
    try {
      if (form.confirm !== undefined && !(await askFirst(form.confirm, form.button ?? BUTTONS[operation] ?? 'Send'))) return;
      const values = touchedValues(fields, texts, start, operation);
      const answer = await sendForm({ form, target, values, key: rowKey, etag: found.etag, row });
      finish(answer);
    } catch (error) {
      fail(error);
    } finally {
      isBusy.current = false;
      setSending(false);
    }
  };

  const finish = (answer: ExactObject): void => {
    const { done: wanted } = form;
    setTexts({});
    setProblems({});
    const message = fillMessage(typeof wanted === 'string' ? wanted : (wanted?.message ?? 'Done.'), answer);
    setDone(message);
    reloadAll();
    if (typeof wanted === 'object' && wanted.open !== undefined) goTo(linkAddress(wanted.open, { ...row, ...answer }));
    else onDone?.(message);
  };

  return (
    <form
      ref={element}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {fields.map((field) => (
        <FormInput
          key={field.name}
          id={`${id}-${field.name}`}
          field={field}
          text={textAt(field.name)}
          problem={problems[field.name]}
          onText={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      {refusal !== undefined && (
        <div class="failure" role="alert" data-testid="form-error">
          <p>{refusal.isChanged ? `The row has changed meanwhile. ${refusal.message}` : refusal.message}</p>
          {refusal.isChanged && (
            <button
              type="button"
              onClick={() => {
                setTexts({});
                setRefusal(undefined);
                forgetReads();
                reloadAll();
              }}
            >
              Load the row again
            </button>
          )}
        </div>
      )}
      <div class="form-foot">
        <button type="submit" class={operation === 'delete' ? 'danger' : 'primary'} data-testid="submit" disabled={isSending}>
          {form.button ?? BUTTONS[operation]}
        </button>
        {done !== undefined && (
          <span class="form-done" role="status" data-testid="form-done">
            {done}
          </span>
        )}
      </div>
    </form>
  );
}

/** Checks every field that will be sent. */
function findProblems(fields: readonly FormField[], textAt: (name: string) => string, operation: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, declaration, isJson } of fields) {
    const text = textAt(name);
    const isRequired = declaration.required === true && operation !== 'delete';
    const texts = declaration.type === 'array' && text !== '' ? text.split(',').map((item) => item.trim()) : [text];
    const item = declaration.type === 'array' ? (declaration.items ?? { type: 'string' as const }) : declaration;
    const problem =
      text === ''
        ? isRequired
          ? 'Enter a value.'
          : undefined
        : (texts.map((one) => checkText(item, one)).find((one) => one !== undefined) ?? (isJson ? problemOfJson(text) : undefined));
    if (problem !== undefined) found[name] = problem;
  }
  return found;
}

function problemOfJson(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Untouched fields are not sent, except defaults of the form itself. */
function touchedValues(
  fields: readonly FormField[],
  texts: Readonly<Record<string, string>>,
  start: Readonly<Record<string, string>>,
  operation: string,
): ExactObject {
  const touched = fields.filter(({ name, initial }) => {
    const text = texts[name];
    if (text === undefined) return operation !== 'update' && initial !== undefined;
    return operation === 'update' ? text !== start[name] : text !== '' || start[name] !== '';
  });
  return Object.fromEntries(touched.map((field) => [field.name, jsonValueOf(field, texts[field.name] ?? start[field.name] ?? '')]));
}

interface PlacedProblems {
  readonly byField: Readonly<Record<string, string>>;
  readonly rest: string | undefined;
}

/** Puts the API's errors at their fields. */
function placeProblems(error: unknown, fields: readonly FormField[]): PlacedProblems {
  const message = messageOf(error);
  if (!(error instanceof ApiFailure)) return { byField: {}, rest: message };
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const { field = '', message: text } of error.fields) {
    const name = field.replace(/[.[].*$/s, '');
    if (fields.some((item) => item.name === name)) byField[name] = text;
    else others.push(text);
  }
  if (error.fields.length > 0) return { byField, rest: others.length === 0 ? undefined : others.join(' ') };
  const named = NAMES_COLUMN.has(error.status) ? fields.filter(({ name }) => namesColumn(message, name)) : [];
  const [only] = named;
  return named.length === 1 && only !== undefined ? { byField: { [only.name]: message }, rest: undefined } : { byField, rest: message };
}

const namesColumn = (message: string, name: string): boolean =>
  message.includes(`"${name}"`) || new RegExp(`(?<![\\w"])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w"])`).test(message);

const fillMessage = (message: string, answer: ExactObject): string =>
  message.replace(/\{([^}]+)\}/g, (found, name: string) => {
    const value = valueAt(answer, name);
    return value === undefined || value === null ? found : textOf(value);
  });
