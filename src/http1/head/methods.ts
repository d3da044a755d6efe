/**
 * The methods of requests: all registered ones except CONNECT, and QUERY, which Node 20 does not
 * list.
 */
import { METHODS as REGISTERED } from 'node:http';

const METHODS: readonly string[] = [...new Set([...REGISTERED, 'QUERY'])];

export const KNOWN_METHODS: ReadonlyMap<string, string> = new Map(
  METHODS.filter((method) => method !== 'CONNECT').map((method) => [method, method]),
);

export const LONGEST_METHOD = Math.max(...METHODS.map((method) => method.length));
