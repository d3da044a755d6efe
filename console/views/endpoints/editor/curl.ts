/** The call of an endpoint as a curl line, with a variable in place of the token. Pure. */

import { Digits, type Exact, type ExactObject, writeExact } from '../../../../ui/exact.ts';
import { quoteShell } from '../../../parts/quote-shell.ts';

export interface Call {
  /** Address of the project's endpoints, with a slash at its end. */
  readonly base: string;
  readonly uri: string;
  readonly method: string;
  /** `undefined` for the version that answers by default. */
  readonly version: string | undefined;
  readonly input: ExactObject;
}

function textOf(value: Exact): string {
  if (typeof value === 'string') return value;
  return value instanceof Digits ? value.text : writeExact(value);
}

export function curlOf({ base, uri, method, version, input }: Call): string {
  const rest = { ...input };
  const path = uri.replace(/\{([^}/]*)\}/g, (whole, name: string) => {
    const value = rest[name];
    delete rest[name];
    return value === undefined ? whole : encodeURIComponent(textOf(value));
  });
  const takesBody = method !== 'get' && method !== 'delete';
  const query = new URLSearchParams(version === undefined ? {} : { version });
  if (!takesBody)
    for (const [name, value] of Object.entries(rest))
      for (const item of Array.isArray(value) ? (value as readonly Exact[]) : [value as Exact]) query.append(name, textOf(item));
  const search = query.size === 0 ? '' : `?${query}`;
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quoteShell(`${base}${path}${search}`)}`,
    `-H "Authorization: Bearer $MILLRACE_TOKEN"`,
    ...(takesBody ? [`-H 'Content-Type: application/json' -d ${quoteShell(writeExact(rest))}`] : []),
  ].join(' \\\n  ');
}
