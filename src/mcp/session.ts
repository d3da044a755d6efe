/** What a tool works with: the caller, what it may do, and a way to ask the service itself. Knows neither HTTP's wire nor JSON-RPC. */
import type { QueryPair } from '../client/where.ts';
import type { DescribedTable, Description, Outline } from '../describe/description.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { PlainMap } from '../util/text/decimal.ts';

export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly QueryPair[];
  readonly body?: Buffer | undefined;
  /** The media type of the body. */
  readonly type?: string | undefined;
  /** In a transaction that only reads, where the engine has one. */
  readonly isReadOnly?: boolean;
}

export interface InnerAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface ToolSession {
  readonly caller: SpaceCaller;
  /** What the caller may do, as far as no database is needed to say it. */
  outline(): Promise<Outline>;
  /** The whole of what the caller may do. */
  describe(db?: string): Promise<Description>;
  table(ref: string): Promise<DescribedTable>;
  /** Can the database of this type take a write back? */
  hasTransactions(type: string): boolean;
  send(request: InnerRequest): Promise<InnerAnswer>;
}

/** The result of a tool; an error is one that the model may read and mend. */
export interface ToolResult {
  readonly value: PlainMap;
  readonly isError?: boolean;
}

/** What is wrong with a call, in words for the model. */
export class ToolError extends Error {
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}
