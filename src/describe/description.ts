/**
 * What one caller may do in its space: tables with the operations on them, and Custom endpoints. Plain data, made once for each picture of
 * catalogue, space and rights; the OpenAPI document, llms.txt, the typed client and the tools for agents are its readers. Knows no HTTP.
 */
import type { About, Declarations } from '../custom/inputs/declaration.ts';
import type { DefinitionMethod } from '../model/definition.ts';
import type { Operation } from '../model/persona.ts';
import type { ForeignKey } from '../model/relation.ts';
import type { Column, Table } from '../model/table.ts';

/** What an operation may touch; an operation that is absent is not granted. */
export interface DescribedRight {
  /** Of `read`: what is shown. Of `insert` and `update`: what may be given. */
  readonly columns: readonly Column[];
  readonly maxPageSize?: number | undefined;
  /** Columns of which something else is shown: they cannot be asked for. */
  readonly masked?: ReadonlySet<Column> | undefined;
}

export type DescribedRights = { readonly [K in Operation]?: DescribedRight };

export interface DescribedTable {
  /** `pg/shop/orders`, `pg/shop.sales/orders` */
  readonly ref: string;
  readonly type: string;
  /** With the schema, where one is named. */
  readonly database: string;
  readonly table: Table;
  /** From this table to others, as far as the caller sees both. */
  readonly keys: readonly ForeignKey[];
  readonly rights: DescribedRights;
}

/** What is known of an endpoint's answers before it is called. */
export interface DescribedAnswer {
  /** That its author chose; 200 when nothing was said. */
  readonly statuses: readonly number[];
  /** It may choose others. */
  readonly isOpen: boolean;
  readonly headers: readonly string[];
  /** The media type of a file instead of rows. */
  readonly file: string | undefined;
  /** Statuses of `refuse(…)` in its programs … */
  readonly refusals: readonly number[];
  /** … and whether there are some that are computed. */
  readonly refusesOther: boolean;
  readonly result: 'rows' | 'count' | 'unknown';
  /** Its statements write nothing, as far as their words tell. */
  readonly onlyReads: boolean;
  /** It may come from the cache. */
  readonly isKept: boolean;
}

export interface DescribedEndpoint {
  readonly uri: string;
  readonly method: DefinitionMethod;
  /** The highest that the caller may call. */
  readonly version: string;
  /** A higher one answers, and refuses the caller, when none is asked for. */
  readonly needsVersion: boolean;
  /** Others that the caller may ask for. */
  readonly otherVersions: readonly string[];
  readonly about: About;
  readonly inputType: string;
  /** Undefined: anything may be sent. */
  readonly inputs: Declarations | undefined;
  readonly answer: DescribedAnswer;
  /** It is a tool of its own for agents. */
  readonly isTool: boolean;
}

/** What is known without a look at any database. */
export interface Outline {
  readonly org: string;
  readonly project: string;
  readonly space: string;
  readonly endpoints: readonly DescribedEndpoint[];
  /** What the caller may do with some table, whether its database can be reached or not. */
  readonly operations: ReadonlySet<Operation>;
}

export interface Description extends Omit<Outline, 'operations'> {
  /** Two descriptions with the same key are the same. */
  readonly key: string;
  readonly prefix: string;
  readonly maxPageSize: number;
  /** Made when somebody asks: there may be thousands. */
  readonly tables: () => Promise<readonly DescribedTable[]>;
  /** Databases that gave no answer: `ms/name`. */
  readonly unreachable: readonly string[];
}

export const OPERATIONS: readonly Operation[] = ['read', 'insert', 'update', 'delete'];

/** The columns by which a row is found: the primary key, or what stands for it where keys repeat. */
export function keyOf(table: Table): readonly Column[] {
  return table.primaryKey.length > 0 ? table.primaryKey : table.sortedBy;
}
