/** Asks the service about a text while it is typed, 400 ms after the last key. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/request.ts';
import type { Problem } from '../api/types.ts';

export interface CheckAnswer {
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

export interface Check {
  readonly state: 'checking' | 'valid' | 'invalid';
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Why the service could not be asked. It is asked again. */
  readonly failure?: string;
}

const CHECK_AFTER_MS = 400;
const RETRY_AFTER_MS = 3000;
const UNCHECKED: Check = { state: 'checking', problems: [], warnings: [] };

type Ask = (text: string, signal: AbortSignal) => Promise<CheckAnswer>;

/** `keys` are what the question depends on besides the text. Without `ask` nothing is checked. */
export function useCheck(text: string, ask: Ask | undefined, keys: readonly unknown[]): Check {
  const [check, setCheck] = useState<Check>(UNCHECKED);
  useEffect(() => {
    if (ask === undefined) return undefined;
    const stop = new AbortController();
    let timer = setTimeout(run, check === UNCHECKED ? 0 : CHECK_AFTER_MS);
    setCheck((before) => ({ ...before, state: 'checking' }));
    function run(): void {
      ask?.(text, stop.signal).then(
        ({ valid, problems, warnings }) => setCheck({ state: valid ? 'valid' : 'invalid', problems, warnings }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          if (error instanceof ApiError) return setCheck(refused(error));
          setCheck((before) => ({ ...before, state: 'checking', failure: error instanceof Error ? error.message : String(error) }));
          timer = setTimeout(run, RETRY_AFTER_MS);
        },
      );
    }
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, ...keys]);
  return check;
}

/** A text that the service does not even check, for example because it is too long. */
function refused(error: ApiError): Check {
  const problems = error.problems.length > 0 ? error.problems : [{ message: error.message, line: 1, column: 1 }];
  return { state: 'invalid', problems, warnings: [] };
}
