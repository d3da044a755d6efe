import { vi } from 'vitest';

/**
 * Deadline of conditions that must come true. Long, because it costs nothing when the test passes.
 * A statement that a test cancels must run longer than this.
 */
export const PATIENCE = { timeout: 20_000, interval: 20 } as const;

/** Waits until the check does not throw. Unlike `expect.poll`, it works in concurrent tests. */
export function eventually(check: () => void | Promise<void>, patience: { readonly timeout: number } = PATIENCE): Promise<void> {
  return vi.waitFor(check, { interval: PATIENCE.interval, ...patience });
}
