// The page's own script: fetches the document of what the caller may do, offers its databases and
// tables, and shows one at a time; `?db=&table=` of its own address chooses the first. Asks for a
// Power Token when the document is refused, and keeps it in memory only.
const find = (id) => document.getElementById(id);
const CUSTOM = 'Custom endpoints';
let token;
let whole;

function withToken(url) {
  if (token !== undefined) url.searchParams.set('pwt', token);
  return url;
}

async function fetchDocument(query) {
  const url = new URL('../v1', location.href);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const response = await fetch(withToken(url), { headers: token === undefined ? {} : { 'X-Power-Token': token } });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message ?? `The service answered ${response.status}.`);
  return body;
}

/** `pg/shop` of `pg/shop/orders`. The name of a table may contain slashes. */
const databaseOf = (ref) => ref.split('/', 2).join('/');

/** `pg/shop/orders` of every table, in the order of the document. */
function tablesOf({ components }) {
  return Object.values(components.schemas).flatMap((schema) => schema['x-table'] ?? []);
}

function fill(select, values) {
  select.replaceChildren(...values.map((value) => new Option(value, value)));
}

/** Examples of filters would be filled in, all of them at once, and hardly a row matches that: they are told instead. */
function withoutFilters(spec) {
  const told = ([name, parameter]) => {
    const { example, ...rest } = parameter;
    return [name, rest.explode === true && Array.isArray(example) ? { ...rest, description: `For example ${example[0]}` } : parameter];
  };
  const parameters = Object.fromEntries(Object.entries(spec.components.parameters).map(told));
  return { ...spec, components: { ...spec.components, parameters } };
}

function show(spec) {
  find('document').replaceChildren();
  window.SwaggerUIBundle({
    spec: withoutFilters(spec),
    dom_id: '#document',
    deepLinking: false,
    validatorUrl: null,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    requestInterceptor(request) {
      if (token === undefined) return request;
      request.url = withToken(new URL(request.url, location.href)).href;
      request.headers['X-Power-Token'] = token;
      return request;
    },
  });
}

/** The same document with the paths of Custom endpoints alone. */
function customOnly(spec) {
  const calls = Object.entries(spec.paths).filter(([, item]) => Object.values(item).some(({ operationId }) => operationId?.startsWith('call.')));
  return { ...spec, paths: Object.fromEntries(calls) };
}

async function showChosen() {
  const database = find('database').value;
  const table = find('table').value;
  find('state').textContent = '';
  if (database === '' || database === CUSTOM) return show(customOnly(whole));
  try {
    show(await fetchDocument(table === '' ? { db: database } : { db: database, table }));
  } catch (error) {
    find('state').textContent = error.message;
  }
}

function fillTables() {
  const database = find('database').value;
  const inside = tablesOf(whole).filter((ref) => databaseOf(ref) === database);
  fill(find('table'), inside.map((ref) => ref.slice(database.length + 1)));
}

function chooseDatabase() {
  fillTables();
  return showChosen();
}

/** Selects what the page's address names, as far as it exists. */
function chooseFromAddress() {
  const wanted = new URL(location.href).searchParams;
  const choose = (select, value) => {
    const exists = [...select.options].some((option) => option.value === value);
    if (exists) select.value = value;
    return exists;
  };
  const isKnown = choose(find('database'), wanted.get('db'));
  fillTables();
  if (isKnown) choose(find('table'), wanted.get('table'));
  return showChosen();
}

async function start() {
  try {
    whole = await fetchDocument({});
  } catch (error) {
    find('refusal').textContent = error.message;
    find('ask').hidden = false;
    find('token').focus();
    return;
  }
  find('ask').hidden = true;
  const databases = new Set(tablesOf(whole).map(databaseOf));
  fill(find('database'), [...databases, CUSTOM]);
  if (whole['x-unreachable'].length > 0) find('state').textContent = `Not reachable: ${whole['x-unreachable'].join(', ')}`;
  await chooseFromAddress();
}

find('database').addEventListener('change', chooseDatabase);
find('table').addEventListener('change', showChosen);
find('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  token = find('token').value.trim() || undefined;
  find('token').value = '';
  void start();
});
void start();
