/**
 * Description → llms.txt, a short text for language models: tables, endpoints, grammar,
 * authentication. Long lines are shortened so that the whole text stays readable at once.
 */
import { OPERATORS } from '../../sql/operators.ts';
import { mapCooperatively } from '../../util/concurrency/slices.ts';
import { type DescribedEndpoint, type DescribedTable, type Description, keyOf, OPERATIONS } from '../description.ts';
import { fitLines, type ListLine } from './llms-lines.ts';

/** Size of all tables and endpoints together. */
const MAX_BYTES = 11_500;

export async function writeLlms(description: Description): Promise<string> {
  const { prefix, org, project, space, endpoints, unreachable, maxPageSize } = description;
  const tables = await mapCooperatively(await description.tables(), project, tableLine);
  const lines = await fitLines([...tables, ...endpoints.map(endpointLine)], MAX_BYTES, project);
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
    ...lines.slice(0, tables.length),
    ...(unreachable.length === 0 ? [] : ['', `Not reachable at this moment: ${unreachable.join(', ')}.`]),
    ...(endpoints.length === 0 ? [] : ['', '## Endpoints', '', `Path: /${org}/${project}/<uri>`, '']),
    ...lines.slice(tables.length),
    '',
    '## More',
    '',
    `- Everything in full: GET /${prefix}/rest/openapi/v1, or a part of it with ?db=<db_type>/<db_name>&table=<table>`,
    '',
  ].join('\n');
}

function tableLine({ ref, table, rights }: DescribedTable): ListLine {
  const operations = OPERATIONS.filter((operation) => rights[operation] !== undefined);
  const shown = operations.length === OPERATIONS.length ? 'all' : operations.join(' ');
  const key = keyOf(table).map(({ name }) => name);
  const columns = (rights.read?.columns ?? []).map(({ name, type, nullable }) => `${name} ${type}${nullable ? '?' : ''}`);
  return { head: `- ${ref} (${shown}${key.length === 0 ? '' : `; ${key.join(',')}`}): `, items: columns, tail: '' };
}

function endpointLine({ method, uri, version, about, inputs }: DescribedEndpoint): ListLine {
  const items = [...(inputs ?? [])].map(([name, { type, required }]) => `${name}${required ? '' : '?'} ${type}`);
  const [open, close] = items.length === 0 ? ['', ''] : [' {', '}'];
  return {
    head: `- ${method.toUpperCase()} ${uri}${open}`,
    items,
    tail: `${close} (${version})${about.summary === undefined ? '' : `: ${about.summary}`}`,
  };
}
