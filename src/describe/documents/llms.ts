/**
 * Description → llms.txt, a short text for language models: tables, endpoints, grammar,
 * authentication. Lines are shortened so that the whole text stays readable at once.
 */
import { OPERATORS } from '../../sql/operators.ts';
import { mapCooperatively } from '../../util/concurrency/slices.ts';
import { type DescribedEndpoint, type DescribedTable, type Description, keyOf, OPERATIONS } from '../description.ts';

/** Characters for all tables and endpoints together. */
const MAX_CHARS = 11_000;
const MIN_LINE_CHARS = 60;
const MAX_LINE_CHARS = 400;

export async function writeLlms(description: Description): Promise<string> {
  const { prefix, org, project, space, endpoints, unreachable, maxPageSize } = description;
  const tables = await description.tables();
  const lineChars = Math.max(
    MIN_LINE_CHARS,
    Math.min(MAX_LINE_CHARS, Math.floor(MAX_CHARS / Math.max(1, tables.length + endpoints.length))),
  );
  const auto = `/${prefix}/api/rest/auto/v1/${org}/${project}`;
  const operators = Object.entries(OPERATORS).map(([name, { meaning }]) => `${name} (${meaning})`);
  return [
    `# ${org}/${project}, space ${space}`,
    '',
    '> Tables of databases as REST, and Custom endpoints. This page lists what the caller who asked for it may do.',
    '',
    '## Authenticate',
    '',
    'Send a Power Token as Authorization: Bearer mr_…, or in the header X-Power-Token and again as the query parameter pwt; or let the gateway send X-Org-Id, X-Project-Id, X-Space-Id,',
    'X-User-Id and X-User-Roles. Errors are JSON: {"code", "status", "message"}; the message says what to do.',
    '',
    '## Tables',
    '',
    `Path: ${auto}/<db_type>/<db_name>/<table>`,
    `- GET ?pg=0&ps=20 (both needed; ps up to ${maxPageSize}): an array of rows. Options: $select=a,b; $order=a.desc,b; $count=exact (X-Total-Count);`,
    '  $after= (empty first, then X-Next-Cursor, with pg=0); format=json, xml, yaml, csv or bson.',
    '  $expand=customer($select=name),items puts related rows into each row; $agg=count,sum.total with $group=status sums up; $has=items(quantity=gt.1).',
    '- A query that is too long for a URL: POST …/<table>/query with it as a form.',
    '- POST with a JSON array of rows: {"rows_affected"}, all or none. $upsert=true (or $upsert=a,b for another unique key) changes rows that are there.',
    '- PUT ?<filters>&set=<column>.<value>, DELETE ?<filters>: at least one filter is needed.',
    '- PATCH ?<filters> with a JSON object sets several columns. One row by its key: GET, PUT, PATCH, DELETE …/<table>/<key>.',
    '- Writes take $dry_run=true (counts, changes nothing), $max_affected=n and $return=rows (the rows instead of their number).',
    '',
    'Filters: <column>=<operator>.<value>, several are combined with AND; in.a,b,c lists; bw.low.high ranges; double quotes make a value literal.',
    `Operators: ${operators.join(', ')}.`,
    'NULL: $null=<column>, $notnull=<column>. Groups: $or=(a=eq.1,b=gt.2), $and=(…), $not=(…), nested as needed.',
    '',
    'Each line: table (operations; key): columns.',
    '',
    ...(await mapCooperatively(tables, project, (table) => clip(tableLine(table), lineChars))),
    ...(unreachable.length === 0 ? [] : ['', `Not reachable at this moment: ${unreachable.join(', ')}.`]),
    ...(endpoints.length === 0 ? [] : ['', '## Endpoints', '', `Path: /${org}/${project}/<uri>`, '']),
    ...endpoints.map((endpoint) => clip(endpointLine(endpoint), lineChars)),
    '',
    '## More',
    '',
    `- Everything in full: GET /${prefix}/rest/openapi/v1, or a part of it with ?db=<db_type>/<db_name>&table=<table>`,
    '',
  ].join('\n');
}

function tableLine({ ref, table, rights }: DescribedTable): string {
  const operations = OPERATIONS.filter((operation) => rights[operation] !== undefined);
  const shown = operations.length === OPERATIONS.length ? 'all' : operations.join(' ');
  const key = keyOf(table).map(({ name }) => name);
  const columns = (rights.read?.columns ?? []).map(({ name, type, nullable }) => `${name} ${type}${nullable ? '?' : ''}`);
  return `- ${ref} (${shown}${key.length === 0 ? '' : `; ${key.join(',')}`}): ${columns.join(', ')}`;
}

function endpointLine({ method, uri, version, about, inputs }: DescribedEndpoint): string {
  const given =
    inputs === undefined ? '' : ` {${[...inputs].map(([name, { type, required }]) => `${name}${required ? '' : '?'} ${type}`).join(', ')}}`;
  return `- ${method.toUpperCase()} ${uri}${given} (${version})${about.summary === undefined ? '' : `: ${about.summary}`}`;
}

function clip(line: string, maxChars: number): string {
  const one = line.replace(/\s+/g, ' ');
  return one.length <= maxChars ? one : `${one.slice(0, maxChars - 1)}…`;
}
