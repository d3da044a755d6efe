/** The document of an app as the page contains it. The service has checked it. */
import { Digits, type Exact, isObject, parseExact } from '../../ui/exact.ts';

export type Literal = string | number | boolean | null | Digits;
export type InputType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp' | 'uuid' | 'array';

export interface Options {
  readonly from: string;
  readonly value: string;
  readonly text?: string;
  readonly filters?: readonly string[];
  readonly order?: readonly string[];
  readonly params?: Readonly<Record<string, Literal>>;
  readonly version?: string;
}

/** Values that an input or a field of a form accepts. */
export interface Declaration {
  readonly type: InputType;
  readonly label?: string;
  readonly required?: boolean;
  readonly default?: Literal | readonly Literal[];
  readonly enum?: readonly Literal[];
  readonly minimum?: Literal;
  readonly maximum?: Literal;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly pattern?: string;
  readonly items?: Declaration;
  readonly min_items?: number;
  readonly max_items?: number;
  readonly hidden?: boolean;
  readonly options?: Options;
  readonly description?: string;
}

export interface Data {
  readonly from: string;
  readonly params?: Readonly<Record<string, Literal>>;
  readonly version?: string;
  readonly filters?: readonly string[];
  readonly order?: readonly string[];
  readonly expand?: readonly string[];
  readonly group?: readonly string[];
  readonly agg?: readonly string[];
  readonly having?: readonly string[];
}

export interface Link {
  readonly app: string;
  readonly inputs?: Readonly<Record<string, Literal>>;
}

export interface ColumnSpec {
  readonly name: string;
  readonly label?: string;
  readonly format?: string;
  readonly align?: 'left' | 'right' | 'center';
  readonly link?: Link;
}

export interface Metric extends Data {
  readonly value: string;
  readonly label?: string;
  readonly format?: string;
  readonly link?: Link;
  readonly compare?: Partial<Data> & { readonly value?: string; readonly label?: string };
  readonly better?: 'up' | 'down' | 'none';
  readonly trend?: string;
}

export interface Chart extends Data {
  readonly kind: 'line' | 'bar' | 'area' | 'pie' | 'scatter';
  readonly x: string;
  readonly y: string | readonly string[];
  readonly series?: string;
  readonly stack?: boolean | 'percent';
  readonly horizontal?: boolean;
  readonly format?: string;
  readonly x_format?: string;
  readonly limit?: number;
}

export interface Table extends Data {
  readonly columns?: readonly (string | ColumnSpec)[];
  readonly size?: number;
  readonly count?: boolean;
  readonly link?: Link;
  readonly actions?: readonly Form[];
  readonly export?: readonly string[];
  readonly empty?: string;
}

export interface RecordSpec {
  readonly from: string;
  readonly key: Literal | readonly Literal[];
  readonly fields?: readonly (string | ColumnSpec)[];
  readonly expand?: readonly string[];
}

export interface FieldSpec {
  readonly name: string;
  readonly label?: string;
  readonly help?: string;
  readonly type?: InputType;
  readonly default?: Literal;
  readonly required?: boolean;
  readonly enum?: readonly Literal[];
  readonly options?: Options;
  readonly multiline?: boolean;
}

export interface Form {
  readonly call?: string;
  readonly method?: 'post' | 'put' | 'patch' | 'delete';
  readonly version?: string;
  readonly insert?: string;
  readonly update?: string;
  readonly delete?: string;
  readonly key?: Literal | readonly Literal[];
  readonly fields?: readonly (string | FieldSpec)[];
  readonly values?: Readonly<Record<string, Literal>>;
  readonly button?: string;
  readonly confirm?: string;
  readonly done?: string | { readonly message: string; readonly open?: Link };
}

export interface Block {
  readonly id?: string;
  readonly title?: string;
  readonly text?: string;
  readonly metric?: Metric;
  readonly chart?: Chart;
  readonly table?: Table;
  readonly record?: RecordSpec;
  readonly form?: Form;
  readonly row?: readonly Block[];
  readonly tabs?: readonly { readonly title: string; readonly blocks: readonly Block[] }[];
}

export interface AppDocument {
  readonly app: string;
  readonly title: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly refresh?: number;
  readonly inputs?: Readonly<Record<string, Declaration>>;
  readonly blocks: readonly Block[];
}

/** Reads the document. Numbers that a double cannot hold keep their digits. */
export const readDocument = (text: string): AppDocument => plain(parseExact(text)) as AppDocument;

function plain(value: Exact): unknown {
  if (value instanceof Digits) return String(Number(value.text)) === value.text ? Number(value.text) : value;
  if (Array.isArray(value)) return (value as readonly Exact[]).map(plain);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)])) : value;
}
