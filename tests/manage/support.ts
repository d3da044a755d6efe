// Fixtures: a store per file, callers of every kind, and bodies as the server parses them.
import { ApiError } from '../../src/errors.ts';
import type { ManageAnswer } from '../../src/manage/answer.ts';
import type { Caller } from '../../src/model/caller.ts';
import { newUlid } from '../../src/model/ulid.ts';
import { parseJson } from '../../src/util/json/json.ts';
import type { PlainValue } from '../../src/util/text/decimal.ts';

/** A JavaScript value the way that a JSON body arrives: through text, with maps for objects. */
export function body(value: unknown): PlainValue {
  return parseJson(Buffer.from(JSON.stringify(value)), { maxDepth: 64 });
}

export function aCaller<T extends Partial<Caller>>(more: T): Caller & T {
  return { userId: newUlid(), roles: new Set(['admin']), serverKey: true, ...more };
}

/** The body of an answer, for looking into it. */
export async function bodyOf(answer: Promise<ManageAnswer>): Promise<Record<string, unknown>> {
  return (await answer).body as Record<string, unknown>;
}

/** The status and message of the error that a promise must end with. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
  throw new Error('it was not refused');
}
