/** Requests as lines for a shell. A token is never part of them. Pure. */
import { quoteShell } from '../../../parts/quote-shell.ts';

interface CurlOptions {
  /** `true` if the request needs a token, which the line takes from the environment. */
  readonly hasToken: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function curlLine(method: string, url: URL, { hasToken, headers = {}, body }: CurlOptions): string {
  const parts = ['curl -s'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (hasToken) parts.push('-H "Authorization: Bearer $MILLRACE_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoteShell(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push("-H 'content-type: application/json'", `-d ${quoteShell(body)}`);
  return `${parts.join(' ')} ${quoteShell(url.href)}`;
}
