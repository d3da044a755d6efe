/**
 * How long a test waits for what must come true. A machine with other work to do takes its time, and a deadline costs nothing while all is well;
 * what must not come true by itself (a statement that is to be stopped) takes longer than this.
 */
export const PATIENCE = { timeout: 20_000, interval: 20 } as const;
