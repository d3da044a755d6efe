/** Text that `npm start` prints: addresses, requests that read and write, next steps. No I/O. */
import type { BesideDemo } from './own-database.ts';

export interface StartPage {
  readonly url: string;
  readonly prefix: string;
  /** Abbreviations of organization and project, and the name of the demo database. */
  readonly place: { readonly org: string; readonly project: string; readonly database: string };
  readonly server: { readonly host: string; readonly port: number };
  /** File with the address of the demo database and its login. */
  readonly loginFile: string;
  readonly dataDir: string;
  /** File with the headers that a gateway would send, for curl. */
  readonly curlFile: string;
  readonly token: string;
  /** Token of the link to the console; `undefined` without a console. */
  readonly consoleToken: string | undefined;
  readonly examples: readonly (readonly [what: string, line: string])[];
  /** Addresses that open the apps. */
  readonly apps: readonly string[];
  readonly own: BesideDemo | undefined;
}

export function startPage(page: StartPage): string {
  const { url, prefix, dataDir, server, loginFile, place, consoleToken, apps, own } = page;
  const head = [
    ...(consoleToken === undefined ? [] : [`  console        ${url}/${prefix}/console/#token=${consoleToken}`]),
    `  service        ${url}`,
    `  demo database  PostgreSQL at ${server.host}:${server.port}, registered as pg/${place.database}`,
    `  its login      psql "$(cat '${loginFile}')"`,
    ...(own === undefined ? [] : [`  your database  registered as ${own.entry.db_type}/${own.entry.db_name}`]),
    `  data and keys  ${dataDir}`,
    ...apps.map((link, index) => `  ${index === 0 ? 'apps' : '    '}           ${link}`),
  ];
  const requests = [...(own === undefined ? [] : ownRequests(page, own)), ...demoRequests(page)];
  const lines = requests.map(([what, line]) => `# ${what}\n${line}\n`).join('\n');
  const problem = own?.problem === undefined ? '' : `\nYour database cannot be used yet. ${own.problem}\n`;
  return `\n${head.join('\n')}\n${problem}\nIn another terminal:\n\n${lines}\n${NEXT}\n`;
}

const NEXT = `Next: docs/reference/filters.md (what a table answers), examples/README.md (endpoints of your own), and
npm start -- postgres://user:password@host:5432/database to look at a database of yours (mysql, mariadb, clickhouse too).`;

function demoRequests(page: StartPage): readonly (readonly [string, string])[] {
  const { url, prefix, place, token, curlFile } = page;
  const curl = `curl -sK '${curlFile}'`;
  const table = (name: string): string => `${url}/${prefix}/api/rest/auto/v1/${place.org}/${place.project}/pg/${place.database}/${name}`;
  const row = '[{"id":9001,"name":"Ada","email":"ada@example.org"}]';
  return [
    ['the first rows of a table; the file has the headers that a gateway sends', `${curl} '${table('users')}?pg=0&ps=3'`],
    ['a filter, another format', `${curl} '${table('products')}?pg=0&ps=5&price=bw.10.50&format=csv'`],
    ['insert a row', `${curl} -d '${row}' -H 'Content-Type: application/json' '${table('users')}'`],
    ['change it', `${curl} -X PUT '${table('users')}?id=eq.9001&set=name.Ada%20Lovelace'`],
    ['and delete it', `${curl} -X DELETE '${table('users')}?id=eq.9001'`],
    [
      'the newest orders, with a Power Token instead of headers',
      `curl -s -H 'X-Power-Token: ${token}' '${table('orders')}?pg=0&ps=3&$order=id.desc&pwt=${token}'`,
    ],
    ['what a table looks like', `${curl} '${url}/${prefix}/rest/meta/v1/table/detail?type=pg&schema=${place.database}&table=users'`],
    ...page.examples,
  ];
}

function ownRequests({ url, prefix, place, curlFile }: StartPage, { entry, tables }: BesideDemo): readonly (readonly [string, string])[] {
  const base = `${url}/${prefix}/api/rest/auto/v1/${place.org}/${place.project}/${entry.db_type}/${encodeURIComponent(entry.db_name)}`;
  return tables.map((table) => [`rows of your ${table}`, `curl -sK '${curlFile}' '${base}/${encodeURIComponent(table)}?pg=0&ps=3'`]);
}
