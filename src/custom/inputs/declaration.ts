/** What a definition declares about one input: plain data, as the document says it. Reads no YAML and checks no value. */
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
  /** Undefined: none. */
  readonly default: PlainValue | undefined;
  readonly description: string | undefined;
  readonly example: PlainValue | undefined;
  /** Of a string, in code points. */
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
  readonly enum: readonly string[] | undefined;
  /** Of a number. */
  readonly minimum: ExactNumber | undefined;
  readonly maximum: ExactNumber | undefined;
  /** Of an array. */
  readonly items: Declaration | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** Of an object; undefined: any fields. */
  readonly fields: Declarations | undefined;
  /** Of a file. */
  readonly maxBytes: number | undefined;
}

export type Declarations = ReadonlyMap<string, Declaration>;

/** Of the endpoint, for those who read about it. */
export interface About {
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
}
