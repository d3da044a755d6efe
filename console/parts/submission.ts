/** The state of a form that is being sent: it is sent once, and its refusal is kept. */
import { useState } from 'preact/hooks';

export interface Submission {
  readonly isBusy: boolean;
  readonly error: Error | undefined;
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

export function useSubmission(): Submission {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | undefined>(undefined);
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}
