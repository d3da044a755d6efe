/**
 * Session of a tool: the caller, its rights, and internal requests to the service. Independent of
 * HTTP and JSON-RPC.
 */
import type { QueryPair } from '../client/where.ts';
import type { DescribedTable, Description, Outline } from '../describe/description.ts';
import { ERRORS } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { PlainMap } from '../util/text/decimal.ts';

export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly QueryPair[];
  readonly body?: Buffer | undefined;
  /** Media type of the body. */
  readonly type?: string | undefined;
  /** Runs in a read-only transaction if the engine has them. */
  readonly isReadOnly?: boolean;
  /** Dry runs count their rows if the engine cannot roll them back. */
  readonly countsDryRuns?: boolean;
}

export interface InnerResponse {
  readonly status: number;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface ToolSession {
  readonly caller: SpaceCaller;
  /** Rights of the caller that are known without a database. */
  outline(): Promise<Outline>;
  /** All rights of the caller. */
  describe(db?: string): Promise<Description>;
  table(ref: string): Promise<DescribedTable>;
  send(request: InnerRequest): Promise<InnerResponse>;
}

/** Result of a tool. The model can read an error and correct its call. */
export interface ToolResult {
  readonly value: PlainMap;
  readonly isError?: boolean;
}

/** An error whose message is meant for the model. */
export class ToolError extends Error {
  readonly status: number;

  constructor(message: string, status: number = ERRORS.bad_parameter.status) {
    super(message);
    this.status = status;
  }
}
