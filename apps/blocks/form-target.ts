/** Targets of forms, and the values their fields accept: declared inputs, or columns of a table. */
import { Digits, type Exact, parseExact } from '../../ui/exact.ts';
import { read, serviceRoot } from '../page/api.ts';
import type { Declaration, FieldSpec, Form, InputType } from '../page/document.ts';
import { type Column, readColumnsOf } from './columns.ts';

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly declaration: Declaration;
  readonly isMultiline: boolean;
  /** `true` if an emptied field is NULL. */
  readonly isNullable: boolean;
  /** `true` if the value is JSON itself. */
  readonly isJson: boolean;
  readonly initial: string | undefined;
}

export type Operation = 'call' | 'insert' | 'update' | 'delete';

export interface Target {
  readonly operation: Operation;
  /** Table, or uri of an endpoint. */
  readonly to: string;
  readonly fields: readonly FormField[];
  readonly inputType: string;
}

const TYPES: Readonly<Record<string, InputType>> = {
  int: 'integer',
  decimal: 'number',
  float: 'number',
  bool: 'boolean',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  uuid: 'uuid',
};

export const operationOf = (form: Form): Operation =>
  form.call !== undefined ? 'call' : form.insert !== undefined ? 'insert' : form.update !== undefined ? 'update' : 'delete';

export async function readTarget(form: Form): Promise<Target> {
  const operation = operationOf(form);
  const to = form.call ?? form.insert ?? form.update ?? form.delete ?? '';
  if (operation === 'delete') return { operation, to, fields: [], inputType: 'json' };
  if (operation === 'call') return readEndpoint(form, to);
  return { operation, to, fields: await readColumns(form, to, operation), inputType: 'json' };
}

interface Definition {
  readonly definition_id: string;
  readonly uri: string;
  readonly method: string;
  readonly version: string;
  readonly default?: boolean;
}

async function readEndpoint(form: Form, uri: string): Promise<Target> {
  const list = JSON.parse((await read(definitionUrl(`list?method=${form.method ?? 'post'}`))).text) as readonly Definition[];
  const own = list.filter((item) => item.uri === uri && (form.version === undefined || item.version === String(form.version)));
  const found = own.find((item) => item.default === true) ?? own.at(-1);
  if (found === undefined) throw new Error(`The endpoint ${uri} does not exist.`);
  const { text } = await read(definitionUrl(`?definition_id=${found.definition_id}`));
  const { definition } = JSON.parse(text) as { definition: { input?: Record<string, Declaration>; http?: { input_type?: string } } };
  const declared = definition.input ?? {};
  const fields = fieldsOf(form, Object.keys(declared), (name) => ({
    declaration: declared[name] ?? { type: 'string' },
    isNullable: declared[name]?.required !== true,
    isJson: false,
  }));
  return { operation: 'call', to: uri, fields, inputType: definition.http?.input_type ?? 'json' };
}

const definitionUrl = (path: string): URL => new URL(`rest/definition/v1${path.startsWith('?') ? path : `/${path}`}`, serviceRoot);

async function readColumns(form: Form, table: string, operation: 'insert' | 'update'): Promise<readonly FormField[]> {
  const columns = await readColumnsOf(table);
  const byName = new Map(columns.map((column) => [column.name, column]));
  const writable = columns.filter(
    ({ generated, operations }) => !generated && (operations === undefined || operations.includes(operation)),
  );
  const set = new Set(Object.keys(form.values ?? {}));
  return fieldsOf(
    form,
    writable.map((column) => column.name).filter((column) => !set.has(column)),
    (column) => declarationOf(byName.get(column), operation),
  );
}

function declarationOf(
  column: Column | undefined,
  operation: 'insert' | 'update',
): Pick<FormField, 'declaration' | 'isNullable' | 'isJson'> {
  const declaration: Declaration = {
    type: TYPES[column?.kind ?? ''] ?? 'string',
    required: operation === 'insert' && column?.required === true,
    ...(column?.max_length === undefined ? {} : { max_length: column.max_length }),
    ...(column?.values === undefined || column.kind !== 'enum' ? {} : { enum: column.values }),
  };
  return { declaration, isNullable: column?.nullable !== false, isJson: column?.kind === 'json' };
}

/** Fields of the form may only narrow what their target accepts. */
function fieldsOf(
  form: Form,
  all: readonly string[],
  declared: (name: string) => Pick<FormField, 'declaration' | 'isNullable' | 'isJson'>,
): readonly FormField[] {
  const specs: readonly FieldSpec[] =
    form.fields?.map((field) => (typeof field === 'string' ? { name: field } : field)) ?? all.map((name) => ({ name }));
  return specs.map((spec): FormField => {
    const base = declared(spec.name);
    const declaration: Declaration = {
      ...base.declaration,
      ...(spec.type === undefined ? {} : { type: spec.type }),
      ...(spec.required === undefined ? {} : { required: spec.required }),
      ...(spec.enum === undefined ? {} : { enum: spec.enum }),
      ...(spec.options === undefined ? {} : { options: spec.options }),
    };
    // A checkbox has two states.
    const isCheckbox = declaration.type === 'boolean' && declaration.required === true;
    const initial = spec.default ?? base.declaration.default ?? (isCheckbox ? false : undefined);
    return {
      ...base,
      name: spec.name,
      label: spec.label ?? base.declaration.label ?? spec.name,
      help: spec.help ?? base.declaration.description,
      declaration,
      isMultiline: spec.multiline === true,
      initial: initial === undefined || initial === null ? undefined : String(initial),
    };
  });
}

/** The JSON value of a text that was checked. */
export function jsonValueOf({ declaration: { type, items }, isJson, isNullable }: FormField, text: string): Exact {
  if (text === '' && (isNullable || type !== 'string')) return null;
  if (type === 'integer' || type === 'number') return digitsOf(text);
  if (type === 'boolean') return text === 'true';
  if (type === 'array') return text.split(',').map((item) => itemOf(items?.type, item.trim()));
  return isJson ? parseJson(text) : text;
}

/** JSON has no leading zeros. */
const digitsOf = (text: string): Digits => new Digits(text.replace(/^(-?)0+(?=\d)/, '$1'));

const itemOf = (type: InputType | undefined, text: string): Exact =>
  type === 'integer' || type === 'number' ? digitsOf(text) : type === 'boolean' ? text === 'true' : text;

export function parseJson(text: string): Exact {
  try {
    return parseExact(text);
  } catch {
    throw new Error('This is not JSON.');
  }
}
