/** The methods that a request may have: all registered ones except CONNECT. */
import { METHODS } from 'node:http';

export const KNOWN_METHODS: ReadonlyMap<string, string> = new Map(
  METHODS.filter((method) => method !== 'CONNECT').map((method) => [method, method]),
);

export const LONGEST_METHOD = Math.max(...METHODS.map((method) => method.length));
