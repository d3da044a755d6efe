/** The header lines of responses. Pure. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A head is written with one byte per character. Any other character would become a different one,
 * such as a line break.
 */
const NOT_ALLOWED_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Can be replaced by the author of a definition. */
const NO_STORE = 'Cache-Control: no-store\r\n';

/** Returns lines with their line ends. `extra`: further names and values, alternating. */
export function headerLines(requestId: string, contentType: string, extra: readonly string[]): string {
  let lines = `Content-Type: ${contentType}\r\nX-Content-Type-Options: nosniff\r\n${NO_STORE}X-Request-Id: ${requestId}\r\n`;
  for (let i = 0; i < extra.length; i += 2) {
    const value = extra[i + 1] as string;
    if (NOT_ALLOWED_IN_VALUE.test(value)) throw new Error(`the header ${extra[i]} cannot hold its value`);
    if (extra[i] === 'Cache-Control') lines = lines.replace(NO_STORE, '');
    lines += `${extra[i]}: ${value}\r\n`;
  }
  return lines;
}

/** Sets a header in a list of alternating names and values. */
export function setHeader(headers: string[], name: string, value: string): void {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== name) continue;
    headers[i + 1] = value;
    return;
  }
  headers.push(name, value);
}
