// The contests of one engine: requests for the service and for the yardstick, and the target ratio
// or thrift. The first contestant is the base.
import { ACCOUNTS, USERS } from './fixtures.mjs';
import { anyOf, anyRequest, eachRequest, makeRequest, nextOf, sendOnce } from './load.mjs';

const ALL = ['pg', 'ms', 'ma', 'ch'];
const BATCH = 1000;
/** Depth of deep pages, and number of cursors that reach them. */
const DEEPEST = 50_000;
const CURSORS = 20;

/** Names and e-mails of the tables; timestamps in a form that every engine and driver accepts. */
const row = (i) => ({ name: `Customer ${i}`, email: `user${i}@example.com`, created_at: '2024-05-06T07:08:09Z' });
const body = (count) => JSON.stringify(Array.from({ length: count }, (_, i) => row(1000 + i)));

/** A request to the service. */
const own = ({ service, fixture, project }, request) => ({
  label: 'millrace',
  server: service,
  database: fixture.address,
  request: makeRequest({ headers: project.headers, ...request }),
});

/** The usual pair: a path of the yardstick and a path of the service. */
function pair({ engine, ours, theirs, rows, before }) {
  const common = { rows, before };
  return [
    { ...common, label: 'yardstick', server: engine.yardstick, database: engine.fixture.address, request: makeRequest(theirs) },
    { ...common, ...own(engine, ours) },
  ];
}

const table = ({ project, fixture }, name) => project.auto(fixture.address.type, fixture.name, name);

const read = (engine, ours, theirs, rows) =>
  pair({ engine, rows, ours: { path: `${table(engine, 'users')}?${ours}` }, theirs: { path: theirs } });

const insert = (engine, count) => {
  const text = body(count);
  return pair({
    engine,
    before: engine.fixture.emptyNotes,
    ours: { method: 'POST', path: table(engine, 'notes'), body: text },
    theirs: { method: 'POST', path: '/notes', body: text },
  });
};

/** MySQL's driver sends many rows in the text or prepared; the faster one is the base. */
function insertMany(engine) {
  const contestants = insert(engine, BATCH);
  if (!['ms', 'ma'].includes(engine.fixture.address.type)) return contestants;
  const request = makeRequest({ method: 'POST', path: '/notes/prepared', body: body(BATCH) });
  return [...contestants, { ...contestants[0], label: 'yardstick, prepared', request }];
}

const inserted = (engine) => {
  const text = body(1);
  return pair({
    engine,
    before: engine.fixture.emptyNotes,
    ours: { method: 'POST', path: `${table(engine, 'notes')}?$return=rows`, body: text },
    theirs: { method: 'POST', path: '/notes/returned', body: text },
  });
};

/**
 * Bodies in turn: concurrent requests change different rows, and every change differs from the last
 * one.
 */
function patch(engine, { ours, theirs, bodies }) {
  const { service, yardstick, fixture, project } = engine;
  const requests = (path, headers) => eachRequest(bodies.map((text) => makeRequest({ method: 'PATCH', path, headers, body: text })));
  const common = { database: fixture.address, before: () => fixture.refill('accounts') };
  return [
    { ...common, label: 'yardstick', server: yardstick, request: requests(theirs, {}) },
    { ...common, label: 'millrace', server: service, request: requests(ours, project.headers) },
  ];
}

const VERSIONS = ['one', 'two'];

const patchOne = (engine) =>
  patch(engine, {
    ours: `${table(engine, 'accounts')}/${anyOf(ACCOUNTS)}`,
    theirs: `/accounts?id=${anyOf(ACCOUNTS)}`,
    bodies: VERSIONS.map((version) => JSON.stringify({ name: `Customer ${version}`, email: `${version}@example.com` })),
  });

const patchMany = (engine) =>
  patch(engine, {
    ours: table(engine, 'accounts'),
    theirs: '/accounts/many',
    bodies: VERSIONS.flatMap((version) => Array.from({ length: ACCOUNTS / BATCH }, (_, block) => blockBody(block * BATCH, version))),
  });

/** New names for a block of accounts. */
const blockBody = (before, version) =>
  JSON.stringify(Array.from({ length: BATCH }, (_, i) => ({ id: before + i + 1, name: `${version} ${i}` })));

const formats = (engine) =>
  ['json', 'csv', 'xml', 'yaml', 'bson'].map((format) => ({
    label: format,
    server: engine.service,
    database: engine.fixture.address,
    rows: BATCH,
    request: makeRequest({ headers: engine.project.headers, path: `${table(engine, 'users')}?pg=0&ps=${BATCH}&format=${format}` }),
  }));

const TEXT_ROW = 'SELECT id, name, email, created_at FROM users WHERE id = ?:id ORDER BY id LIMIT 1';
const SQL = [{ sql: TEXT_ROW }];
const EXPR = [...SQL, { expr: 'summary', code: '{"count": len(step_0), "names": map(step_0, upper(.name))}' }];
const LARK = [...SQL, { lark: 'summary', code: 'result = {"count": len(step_0), "names": [r["name"].upper() for r in step_0]}' }];

/** A deployed definition against the same logic written by hand. */
async function custom(engine, uri, logic, theirs, rows) {
  const { administrator, project, fixture } = engine;
  await administrator.deploy(project, uri, logic, `${fixture.address.type}/${fixture.name}`);
  const id = anyOf(USERS);
  return pair({ engine, rows, ours: { path: `${project.custom(uri)}?id=${id}` }, theirs: { path: `${theirs}?id=${id}` } });
}

const DECLARED = {
  id: { type: 'integer', required: true, minimum: 1 },
  name: { type: 'string', max_length: 40 },
  since: { type: 'date' },
  limit: { type: 'integer', default: 10, minimum: 1, maximum: 100 },
  active: { type: 'boolean' },
};

/** A call with five inputs, checked by hand and declared. */
async function inputs(engine, uri) {
  const { project } = engine;
  await deployInputs(engine, uri, { input: DECLARED });
  return pair({ engine, rows: 1, ours: { path: `${project.custom(uri)}?${FIVE}` }, theirs: { path: `/checked?${FIVE}` } });
}

const FIVE = `id=${anyOf(USERS)}&name=Ada&since=2024-05-06&limit=20&active=true`;

const deployInputs = ({ administrator, project, fixture }, uri, more) =>
  administrator.deploy(project, uri, SQL, `${fixture.address.type}/${fixture.name}`, more);

/** The same call without declared inputs. */
async function undeclaredInputs(engine) {
  const { project } = engine;
  await deployInputs(engine, 'bench-undeclared');
  return own(engine, { path: `${project.custom('bench-undeclared')}?${FIVE}` });
}

async function token(engine) {
  const path = `${table(engine, 'users')}?pg=0&ps=1&id=eq.${anyOf(USERS)}`;
  const secret = await engine.administrator.createToken(engine.project);
  const common = { server: engine.service, database: engine.fixture.address, rows: 1 };
  return [
    { ...common, label: 'headers', request: makeRequest({ path, headers: engine.project.headers }) },
    { ...common, label: 'token', request: makeRequest({ path: `${path}&pwt=${secret}`, headers: { 'X-Power-Token': secret } }) },
  ];
}

/** Rows restricted by a persona, and by a condition written by hand. */
async function persona(engine, { query, theirs, rows }) {
  const { administrator, project, fixture } = engine;
  const reader = await administrator.putReader(project, `${fixture.address.type}/${fixture.name}/users`);
  return pair({ engine, rows, ours: { path: `${table(engine, 'users')}?${query}`, headers: reader }, theirs: { path: theirs } });
}

const NARROWED_ROW = { query: `pg=0&ps=1&id=eq.${anyOf(USERS)}`, theirs: `/reader/one?low=0&id=${anyOf(USERS)}`, rows: 1 };
const NARROWED_PAGE = { query: `pg=${anyOf(9)}&ps=20`, theirs: `/reader/page?low=0&pg=${anyOf(9)}&ps=20`, rows: 20 };

/** The same request by an administrator. */
const unnarrowed = (engine, { query }) => own(engine, { path: `${table(engine, 'users')}?${query}&$select=id,name` });

/** Pages far from the first one by cursor. */
async function byCursor(engine) {
  const { service, project } = engine;
  const path = (query) => `${table(engine, 'users')}?${query}`;
  const cursors = [];
  for (let cursor = ''; cursors.length < CURSORS; cursors.push(cursor)) {
    const request = makeRequest({ headers: project.headers, path: path(`pg=0&ps=${DEEPEST / CURSORS}&$select=id&$after=${cursor}`) });
    cursor = (await sendOnce(service.port, request)).headers['x-next-cursor'];
  }
  const [yardstick, millrace] = read(engine, 'pg=0&ps=20', `/after?id=${anyOf(DEEPEST)}&ps=20`, 20);
  const request = anyRequest(cursors.map((cursor) => makeRequest({ headers: project.headers, path: path(`pg=0&ps=20&$after=${cursor}`) })));
  return [yardstick, { ...millrace, request }];
}

/** A page of orders, each with its user and its lines. */
async function related(engine) {
  await engine.fixture.related();
  const page = anyOf(9);
  return pair({
    engine,
    rows: 20,
    ours: { path: `${table(engine, 'orders')}?pg=${page}&ps=20&$expand=user:users,lines:order_lines` },
    theirs: { path: `/orders?pg=${page}&ps=20` },
  });
}

/** Target ratios on PostgreSQL, and on MySQL and MariaDB. ClickHouse has none. */
const ratios = (pg, mysql) => (type) => (type === 'ch' ? {} : { millrace: { ratio: type === 'pg' ? pg : mysql } });

const FORMAT_TARGETS = { csv: 1 / 1.5, xml: 1 / 1.5, yaml: 1 / 1.5, bson: 1 / 2 };

export const SCENARIOS = {
  single: {
    title: 'single row by key',
    engines: ALL,
    targets: ratios(1.6, 1.3),
    contestants: (engine) => read(engine, `pg=0&ps=1&id=eq.${anyOf(USERS)}`, `/one?id=${anyOf(USERS)}`, 1),
  },
  'row-by-key': {
    title: 'row by the path of its key',
    engines: ALL,
    targets: { millrace: { ratio: 1.2 } },
    contestants: (engine) =>
      pair({ engine, ours: { path: `${table(engine, 'users')}/${anyOf(USERS)}` }, theirs: { path: `/one?id=${anyOf(USERS)}` } }),
  },
  groups: {
    // These requests take long, and 32 of them run one after the other.
    seconds: 3,
    mostRounds: 3,
    title: 'count and sum by month of 100,000 rows',
    engines: ALL,
    targets: { millrace: { ratio: 1 } },
    contestants: (engine) => read(engine, 'pg=0&ps=100&$group=month:created_at.month&$agg=count,total:sum.id,least:min.email', '/months'),
  },
  page20: {
    title: 'page of 20',
    engines: ALL,
    targets: ratios(2, 1.5),
    contestants: (engine) => read(engine, `pg=${anyOf(9)}&ps=20`, `/page?pg=${anyOf(9)}&ps=20`, 20),
  },
  'page20-apart': {
    title: 'page of 20, any of 1,000',
    engines: ['ch'],
    targets: {},
    contestants: (engine) => read(engine, `pg=${anyOf(999)}&ps=20`, `/page?pg=${anyOf(999)}&ps=20`, 20),
  },
  page1000: {
    title: 'page of 1,000',
    engines: ALL,
    targets: ratios(4, 3.5),
    contestants: (engine) => read(engine, `pg=0&ps=${BATCH}`, `/page?pg=0&ps=${BATCH}`, BATCH),
  },
  deep: {
    title: 'page of 20, up to 50,000 rows deep, by number',
    engines: ALL,
    targets: {},
    contestants: (engine) => read(engine, `pg=${anyOf(DEEPEST / 20)}&ps=20`, `/page?pg=${anyOf(DEEPEST / 20)}&ps=20`, 20),
  },
  cursor: {
    title: 'the same by cursor',
    engines: ALL,
    targets: {},
    contestants: byCursor,
  },
  'page20-related': {
    title: 'page of 20 with one to-one and one to-many expansion',
    engines: ['pg', 'ms', 'ma'],
    targets: { millrace: { ratio: 1.5 } },
    contestants: related,
  },
  filter: {
    title: 'filter on an indexed column',
    engines: ALL,
    targets: { millrace: { ratio: 1.2 } },
    contestants: (engine) =>
      read(engine, `pg=0&ps=20&email=eq.user${anyOf(USERS)}@example.com`, `/by-email?ps=20&email=user${anyOf(USERS)}@example.com`, 1),
  },
  insert1: {
    title: 'insert 1 row',
    engines: ALL,
    targets: ratios(1.2, 1),
    contestants: (engine) => insert(engine, 1),
  },
  insert1000: {
    title: 'insert 1,000 rows in one POST',
    engines: ALL,
    targets: ratios(1.6, 1.2),
    contestants: insertMany,
  },
  update: {
    title: 'update 1 row',
    engines: ALL,
    targets: ratios(1.1, 1),
    contestants: (engine) =>
      pair({
        engine,
        // Pending mutations of ClickHouse must not slow down the next contestant.
        before: () => engine.fixture.refill('accounts'),
        ours: { method: 'PUT', path: `${table(engine, 'accounts')}?id=eq.${anyOf(ACCOUNTS)}&set=name.Customer${anyOf(9999)}` },
        theirs: { method: 'PUT', path: `/accounts?id=${anyOf(ACCOUNTS)}&name=Customer${anyOf(9999)}` },
      }),
  },
  'insert1-rows': {
    title: 'insert 1 row with RETURNING',
    engines: ['pg', 'ms', 'ma'],
    targets: { millrace: { ratio: 1 } },
    contestants: inserted,
  },
  patch1: {
    title: 'PATCH of 1 row',
    engines: ['pg', 'ms', 'ma'],
    targets: { millrace: { ratio: 1 } },
    contestants: patchOne,
  },
  patch1000: {
    title: 'PATCH of 1,000 rows by key',
    engines: ['pg', 'ms', 'ma'],
    targets: { millrace: { ratio: 1.2 } },
    contestants: patchMany,
  },
  delete: {
    title: 'delete 1 row',
    engines: ALL,
    targets: ratios(1.1, 1),
    contestants: (engine) =>
      pair({
        engine,
        before: () => engine.fixture.refill('spares'),
        ours: { method: 'DELETE', path: `${table(engine, 'spares')}?id=eq.${nextOf()}` },
        theirs: { method: 'DELETE', path: `/spares?id=${nextOf()}` },
      }),
  },
  formats: {
    title: 'page of 1,000 in each format',
    mostRounds: 3,
    engines: ['pg', 'ms', 'ch'],
    targets: Object.fromEntries(Object.entries(FORMAT_TARGETS).map(([format, thrift]) => [format, { thrift }])),
    sides: 5,
    contestants: formats,
  },
  'persona-single': {
    title: 'single row with a persona',
    engines: ['pg', 'ms'],
    targets: {},
    contestants: (engine) => persona(engine, NARROWED_ROW),
  },
  'persona-page20': {
    title: 'page of 20 with a persona',
    engines: ['pg', 'ms'],
    targets: {},
    contestants: (engine) => persona(engine, NARROWED_PAGE),
  },
  token: {
    title: 'single row with a Power Token',
    engines: ['pg'],
    targets: { token: { ratio: 0.8 } },
    contestants: token,
  },
  'custom-sql': {
    title: 'Custom call, one sql step',
    engines: ALL,
    targets: ratios(0.9, 0.85),
    contestants: (engine) => custom(engine, 'bench-row', SQL, '/one', 1),
  },
  'custom-inputs': {
    title: 'Custom call with five inputs, declared',
    engines: ['pg'],
    targets: {},
    contestants: (engine) => inputs(engine, 'bench-declared'),
  },
  'custom-expr': {
    title: 'Custom call, sql and expr',
    engines: ['pg'],
    targets: {},
    contestants: (engine) => custom(engine, 'bench-expr', EXPR, '/summary'),
  },
  'custom-lark': {
    title: 'Custom call, sql and lark',
    engines: ['pg'],
    targets: {},
    contestants: (engine) => custom(engine, 'bench-lark', LARK, '/summary'),
  },
};

const secondOf = async (contestants) => (await contestants)[1];
const readRow = (engine) => own(engine, { path: `${table(engine, 'users')}?${NARROWED_ROW.query}` });

/** Costs of a request beside a base request of the same service. */
export const COSTS = [
  { title: 'single row beside itself', engines: ['pg', 'ms'], pair: (engine) => [readRow(engine), readRow(engine)] },
  {
    title: 'single row with a persona beside an administrator’s',
    engines: ['pg', 'ms'],
    most: 1.1,
    pair: async (engine) => [unnarrowed(engine, NARROWED_ROW), await secondOf(persona(engine, NARROWED_ROW))],
  },
  {
    title: 'page of 20 with a persona beside an administrator’s',
    engines: ['pg', 'ms'],
    most: 1.1,
    pair: async (engine) => [unnarrowed(engine, NARROWED_PAGE), await secondOf(persona(engine, NARROWED_PAGE))],
  },
  {
    title: 'Custom call with five inputs declared beside undeclared ones',
    engines: ['pg'],
    most: 1.05,
    pair: async (engine) => [await undeclaredInputs(engine), await secondOf(inputs(engine, 'bench-declared-beside'))],
  },
];
