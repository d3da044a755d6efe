/**
 * Everything one caller may do in its space, as plain data: operations on tables, and Custom
 * endpoints. Read by the OpenAPI document, llms.txt, the typed client and the tools for agents. No
 * HTTP.
 */
import type { About, Declarations } from '../custom/inputs/declaration.ts';
import type { DefinitionMethod } from '../model/definition.ts';
import type { Operation } from '../model/persona.ts';
import type { ForeignKey } from '../model/relation.ts';
import type { Column, Table } from '../model/table.ts';

/** The columns of a granted operation. */
export interface DescribedRight {
  /** Columns that `read` returns, or that `insert` and `update` accept. */
  readonly columns: readonly Column[];
  readonly maxPageSize?: number | undefined;
  /** Columns whose values are replaced. They cannot be used in filters. */
  readonly masked?: ReadonlySet<Column> | undefined;
}

export type DescribedRights = { readonly [K in Operation]?: DescribedRight };

export interface DescribedTable {
  /** `pg/shop/orders`, `pg/shop.sales/orders` */
  readonly ref: string;
  readonly type: string;
  /** Includes the schema if the caller names one. */
  readonly database: string;
  readonly table: Table;
  /** Foreign keys to other tables. The caller may read the columns on both sides. */
  readonly keys: readonly ForeignKey[];
  readonly rights: DescribedRights;
}

/** Facts about an endpoint's answers that are known before a call. */
export interface DescribedAnswer {
  /** Statuses that the author chose; 200 by default. */
  readonly statuses: readonly number[];
  /** `true` if other statuses are possible. */
  readonly isOpen: boolean;
  readonly headers: readonly string[];
  /** Media type, if the answer is a file instead of rows. */
  readonly file: string | undefined;
  /** Constant statuses of `refuse(…)` in its programs. */
  readonly refusals: readonly number[];
  /** `true` if a program computes such a status. */
  readonly refusesOther: boolean;
  readonly result: 'rows' | 'count' | 'unknown';
  /** `true` if no statement contains a keyword that writes. */
  readonly onlyReads: boolean;
  /** `true` if responses may be cached. */
  readonly isCached: boolean;
}

export interface DescribedEndpoint {
  readonly uri: string;
  readonly method: DefinitionMethod;
  /** The highest version that the caller may call. */
  readonly version: string;
  /** `true` if the default version is a higher one that rejects the caller. */
  readonly needsVersion: boolean;
  /** Lower versions that the caller may call. */
  readonly otherVersions: readonly string[];
  readonly about: About;
  readonly inputType: string;
  /** `undefined` if any input is accepted. */
  readonly inputs: Declarations | undefined;
  readonly answer: DescribedAnswer;
  /** `true` if agents get the endpoint as a tool of its own. */
  readonly isTool: boolean;
}

/** An app that the caller may open. */
export interface DescribedApp {
  readonly app: string;
  readonly title: string;
}

/** The part of a description that needs no database. */
export interface Outline {
  readonly org: string;
  readonly project: string;
  readonly space: string;
  readonly endpoints: readonly DescribedEndpoint[];
  /** Operations that the caller may do on at least one table, reachable or not. */
  readonly operations: ReadonlySet<Operation>;
  /** `false` if the service has no apps. */
  readonly hasApps: boolean;
}

export interface Description extends Omit<Outline, 'operations' | 'hasApps'> {
  /** Descriptions with the same key are equal. */
  readonly key: string;
  readonly prefix: string;
  readonly maxPageSize: number;
  /** Made on demand, since there may be thousands. */
  readonly tables: () => Promise<readonly DescribedTable[]>;
  /** `undefined` if the service has no apps, or the description is one of a part. */
  readonly apps: readonly DescribedApp[] | undefined;
  /** Databases that did not answer, such as `ms/name`. */
  readonly unreachable: readonly string[];
}

export const OPERATIONS: readonly Operation[] = ['read', 'insert', 'update', 'delete'];

/** The columns that identify a row: the primary key, or the sorting key where keys may repeat. */
export function keyOf(table: Table): readonly Column[] {
  return table.primaryKey.length > 0 ? table.primaryKey : table.sortedBy;
}
