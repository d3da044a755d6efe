/** Shapes of responses, as far as the console reads them. */

export interface Space {
  readonly space_id: string;
  readonly name: string;
}

export interface Database {
  readonly ref: string;
  readonly db_type: string;
  readonly name: string;
  readonly engine: string;
  readonly read_only: boolean;
}

/** `GET …/meta/v1/context`. */
export interface Context {
  readonly version: string;
  readonly max_page_size: number;
  readonly user_id: string;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>> | null;
  readonly persona: string | null;
  readonly personas: readonly string[];
  readonly unrestricted: boolean;
  readonly org: { readonly org_id: string; readonly name: string; readonly abbreviation: string };
  readonly project: { readonly project_id: string; readonly name: string; readonly abbreviation: string };
  readonly space: Space;
  readonly spaces: readonly Space[];
  readonly databases: readonly Database[];
  readonly token: {
    readonly token_id: string;
    readonly name: string;
    readonly key_type: string;
    readonly expires_at: string | null;
  } | null;
  readonly may: {
    readonly read: boolean;
    readonly write: boolean;
    readonly delete: boolean;
    readonly author: boolean;
    readonly admin: boolean;
    readonly system: boolean;
  };
}

export type Operation = 'read' | 'insert' | 'update' | 'delete';

/** An item of `table/list`. */
export interface TableItem {
  readonly table: string;
  readonly schema: string;
  readonly type: 'table' | 'view';
  readonly operations: readonly Operation[];
}

/** A problem of a document, at its place. */
export interface Problem {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
}

export type Kind =
  | 'int'
  | 'decimal'
  | 'float'
  | 'bool'
  | 'text'
  | 'enum'
  | 'set'
  | 'uuid'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'bytes'
  | 'json'
  | 'other';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary_key: boolean;
  readonly default: string | null;
  readonly generated: boolean;
  readonly kind: Kind;
  readonly required: boolean;
  readonly sortable: boolean;
  /** Place in the path of a row, from 1; absent for columns that are not part of it. */
  readonly key_position?: number;
  readonly max_length?: number;
  readonly values?: readonly string[];
  readonly operations: readonly ('read' | 'insert' | 'update')[];
  readonly masked: boolean;
}

export interface Relation {
  readonly name: string;
  readonly kind: 'one' | 'many';
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: readonly string[];
  readonly through?: string;
}

/** `table/detail`. */
export interface TableDetail {
  readonly table: string;
  readonly schema: string;
  readonly columns: readonly Column[];
  readonly unique: readonly (readonly string[])[];
  readonly relations: readonly Relation[];
  readonly operations: readonly Operation[];
}
