/**
 * How the caches read the catalog: within the time of a request, under the server's limit of the
 * requests around it.
 */
import type { Entry } from '../../model/entry.ts';
import type { RunOptions } from '../contract/engine.ts';

const MAX_READ_MS = 10_000;

export function readOptions({ queryTimeoutSecs }: Entry): RunOptions {
  return { timeoutMs: Math.min(MAX_READ_MS, queryTimeoutSecs * 1000), serverLimit: 'any' };
}
