/** Declaration of an input, as plain data. Neither parses YAML nor checks values. */
import type { Decimal, PlainValue } from '../../util/text/decimal.ts';

export const DECLARED_TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'timestamp',
  'uuid',
  'array',
  'object',
  'file',
  'any',
] as const;
export type DeclaredType = (typeof DECLARED_TYPES)[number];

export type ExactNumber = number | bigint | Decimal;

export interface Declaration {
  readonly type: DeclaredType;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly default: PlainValue | undefined;
  readonly description: string | undefined;
  readonly example: PlainValue | undefined;
  /** Length of a string in code points. */
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
  readonly enum: readonly string[] | undefined;
  /** Bounds of a number. */
  readonly minimum: ExactNumber | undefined;
  readonly maximum: ExactNumber | undefined;
  /** Items of an array. */
  readonly items: Declaration | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** Fields of an object; `undefined` accepts any. */
  readonly fields: Declarations | undefined;
  /** Maximum size of a file. */
  readonly maxBytes: number | undefined;
}

export type Declarations = ReadonlyMap<string, Declaration>;

/** Documentation of the endpoint. */
export interface About {
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
}
