import { vi } from 'vitest';

/**
 * How long a test waits for what must come true. A machine with other work to do takes its time, and a deadline costs nothing while all is well;
 * what must not come true by itself (a statement that is to be stopped) takes longer than this.
 */
export const PATIENCE = { timeout: 20_000, interval: 20 } as const;

/** Waits until the check does not throw. As `expect.poll`, but also where tests run side by side: that one must know which of them it is in. */
export function eventually(check: () => void | Promise<void>, patience: { readonly timeout: number } = PATIENCE): Promise<void> {
  return vi.waitFor(check, { interval: PATIENCE.interval, ...patience });
}
