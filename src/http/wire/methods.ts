/** The methods that a request may have: whatever is registered; a tunnel is none of ours. */
import { METHODS } from 'node:http';

export const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'));

export const LONGEST_METHOD = Math.max(...METHODS.map((method) => method.length));
