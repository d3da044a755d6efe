/**
 * Reads the `response` section of a definition: status, headers, body or file. Compiles no
 * expression.
 */
import type { DocumentFields } from '../yaml/fields.ts';
import type { MapTree, ScalarTree, SourcePlace } from '../yaml/yaml-tree.ts';

/** An expression and its place in the document. */
export interface ResponseSource {
  /** `status`, `headers.Location`, `file.data` … */
  readonly name: string;
  readonly code: string;
  readonly at: SourcePlace;
}

export interface ResponseDocument {
  readonly status: number | ResponseSource | undefined;
  readonly headers: readonly (ResponseSource & { readonly header: string })[];
  readonly body: ResponseSource | undefined;
  readonly file:
    | { readonly name: ResponseSource | undefined; readonly type: ResponseSource | undefined; readonly data: ResponseSource }
    | undefined;
}

export const STATUSES = { min: 200, max: 599 } as const;

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const MAX_HEADERS = 50;

/** Headers that only the service may set. */
const RESERVED: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade content-length content-type
  content-encoding content-range date server set-cookie set-cookie2 x-request-id x-served-version x-rolled-back-from x-cache x-outcome server-timing
  x-content-type-options allow www-authenticate host expect`.split(/\s+/),
);

export function readResponse(fields: DocumentFields, root: MapTree): ResponseDocument | undefined {
  const tree = root.fields.get('response');
  const section = tree === undefined ? undefined : fields.map(tree, 'response');
  if (section === undefined) return undefined;
  fields.known(section, 'response.', ['status', 'headers', 'body', 'file']);
  if (section.fields.has('body') && section.fields.has('file'))
    fields.problem(section, 'response.body and response.file exclude each other');
  return {
    status: readStatus(fields, section),
    headers: readHeaders(fields, section),
    body: expression(fields, section, 'body', ''),
    file: readFile(fields, section),
  };
}

function readStatus(fields: DocumentFields, section: MapTree): ResponseDocument['status'] {
  const tree = fields.scalar(section, 'status', 'response.');
  if (tree === undefined || (typeof tree.value === 'string' && !/^-?\d+$/.test(tree.text)))
    return expression(fields, section, 'status', '');
  const status = typeof tree.value === 'boolean' ? Number.NaN : Number(tree.text);
  if (!(Number.isInteger(status) && status >= STATUSES.min && status <= STATUSES.max))
    fields.problem(tree, `response.status must be a number from ${STATUSES.min} to ${STATUSES.max}, or an expression`);
  return status;
}

function readHeaders(fields: DocumentFields, section: MapTree): ResponseDocument['headers'] {
  const tree = section.fields.get('headers');
  const map = tree === undefined ? undefined : fields.map(tree, 'response.headers');
  if (map === undefined) return [];
  if (map.fields.size > MAX_HEADERS) fields.problem(map, `response.headers has more than ${MAX_HEADERS} headers`);
  const seen = new Set<string>();
  return [...map.fields].flatMap(([header, value]) => {
    const key = header.toLowerCase();
    if (!TOKEN.test(header)) fields.problem(value, `response.headers: ${JSON.stringify(header.slice(0, 40))} is not a header name`);
    else if (RESERVED.has(key)) fields.problem(value, `response.headers.${header} is reserved for the service`);
    else if (seen.has(key)) fields.problem(value, `response.headers.${header} is set twice`);
    seen.add(key);
    const source = expression(fields, map, header, 'headers.');
    return source === undefined ? [] : [{ ...source, header: key === 'cache-control' ? 'Cache-Control' : header }];
  });
}

function readFile(fields: DocumentFields, section: MapTree): ResponseDocument['file'] {
  const tree = section.fields.get('file');
  const map = tree === undefined ? undefined : fields.map(tree, 'response.file');
  if (map === undefined) return undefined;
  fields.known(map, 'response.file.', ['name', 'type', 'data']);
  const data = expression(fields, map, 'data', 'file.');
  if (data === undefined) fields.problem(map, 'response.file.data is missing');
  return {
    name: expression(fields, map, 'name', 'file.'),
    type: expression(fields, map, 'type', 'file.'),
    data: data ?? { name: 'file.data', code: 'nil', at: map },
  };
}

function expression(fields: DocumentFields, parent: MapTree, name: string, prefix: string): ResponseSource | undefined {
  const tree = fields.scalar(parent, name, `response.${prefix}`);
  return tree === undefined ? undefined : { name: prefix + name, code: tree.text, at: codePlace(tree) };
}

function codePlace({ line, column, block, quoted, indent }: ScalarTree): SourcePlace {
  return block ? { line: line + 1, column: indent + 1 } : { line, column: quoted ? column + 1 : column };
}
