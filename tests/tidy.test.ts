// Rules of the architecture: allowed imports, files with exclusive tasks, documents that match the
// code. Reads the files as text; a failure lists the file.
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PARAMETERS } from '../src/auto/request/parameters.ts';
import { SETTINGS } from '../src/config.ts';
import { OWN_ENGINES } from '../src/engines/index.ts';
import { ERRORS, REASONS } from '../src/errors.ts';
import { OPERATORS } from '../src/sql/operators.ts';
import { allPages, brokenLinks, LANGUAGES, readPage, userPages } from './support/documents.ts';
import { importsOf, linesMatching, projectFiles, readProjectFile, sourceFiles } from './support/sources.ts';

const ANYTHING = ['**'];
const FEATURE = [
  'engines/pool/statement-class',
  'engines/contract',
  'engines/pool/connections',
  'engines/schema',
  'engines/registry',
  'store/store',
  'sql',
  'model',
  'errors',
  'observe',
  'util',
];

/**
 * For each folder of src/ (or file at its top): the folders or single files that it may import. A
 * folder may always import its own files.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ANYTHING,
  app: ANYTHING,
  cli: ANYTHING,
  http: [
    'apps',
    'personas',
    'http1',
    'auth',
    'auto',
    'custom',
    'manage',
    'describe',
    'mcp',
    'formats',
    'model',
    'errors',
    'observe',
    'config',
    'util',
    'engines/contract',
    'engines/pool/hosts',
    'engines/registry',
    'store/store',
  ],
  apps: [...FEATURE, 'auto/plan', 'auto/request', 'custom/call/endpoint-resolver', 'custom/document', 'custom/inputs', 'custom/yaml'],
  personas: [...FEATURE, 'auto/plan', 'auto/request/filter-syntax'],
  auth: FEATURE,
  auto: FEATURE,
  custom: [...FEATURE, 'lang'],
  manage: [...FEATURE, 'engines/pool/hosts', 'lang'],
  describe: [...FEATURE, 'auto/request/parameters', 'custom/document', 'custom/inputs/declaration', 'formats', 'personas'],
  mcp: ['client/where', 'describe', 'model', 'errors', 'util'],
  client: [],
  engines: ['sql', 'model', 'errors', 'util'],
  store: ['sql', 'model', 'errors', 'util'],
  sql: ['model', 'errors', 'util'],
  formats: ['model', 'util'],
  model: ['errors', 'util'],
  config: ['errors', 'util'],
  version: [],
  http1: ['errors', 'util'],
  lang: ['util/text/decimal', 'util/bounded-map', 'util/on-demand'],
  errors: [],
  observe: ['util'],
  util: [],
};

/** Folders whose members are independent of each other; shared files are directly in the folder. */
const SEPARATE = ['src/engines', 'src/lang'];
/** Folders of `src/engines` that every engine builds on. */
const SHARED = new Set(['contract', 'pool', 'schema', 'driver-kit']);
const EXCEPTIONS = new Set(['src/engines/mariadb -> src/engines/mysql']);

/** Folders of `src/custom`. Each may import those before it. */
const LAYERS_OF_CUSTOM = ['yaml', 'inputs', 'document', 'steps', 'program', 'call', 'manage'];

const MOST_LINES = 500;

const sources = sourceFiles('src');
const everywhere = [...sources, ...sourceFiles('tests'), ...sourceFiles('scripts'), ...sourceFiles('bench')];

/** `src/auto/plan/plan.ts` is in the room auto, `src/config.ts` is the room config. */
const roomOf = (file: string): string => file.split('/')[1]?.replace(/\.ts$/, '') ?? '';

/**
 * The member of a folder that contains a file: `src/engines/mysql/driver.ts` is in
 * `src/engines/mysql`, `src/engines/pool/pool.ts` is in no member.
 */
const memberOf = (folder: string, file: string): string | undefined => {
  const [name = '', inside] = file.slice(folder.length + 1).split('/');
  return file.startsWith(`${folder}/`) && inside !== undefined && !SHARED.has(name) ? `${folder}/${name}` : undefined;
};

function isAllowed(file: string, target: string): boolean {
  const room = roomOf(file);
  const allowed = MAY_IMPORT[room] ?? [];
  if (allowed.includes('**') || roomOf(target) === room) return true;
  const path = target.replace(/^src\//, '').replace(/\.ts$/, '');
  return allowed.some((entry) => path === entry || path.startsWith(`${entry}/`));
}

describe('imports', () => {
  const targets = sources.flatMap((file) => importsOf(file).map((found) => found.file));

  test('are found: the reader of imports is not blind', () => {
    expect(targets.length).toBeGreaterThan(sources.length);
  });

  test('every room has its rule', () => {
    const rooms = new Set(sources.map(roomOf));
    expect([...rooms].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  test('name files that exist, with their ending', () => {
    const known = new Set(projectFiles());
    expect(targets.filter((target) => target !== undefined && !known.has(target))).toEqual([]);
  });

  test('point down only', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file).flatMap(({ file: target }) =>
        target !== undefined && !isAllowed(file, target) ? [`${file} imports ${target}`] : [],
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('of the Auto API never reach into the Custom one', () => {
    const auto = sources.filter((file) => /^src\/(?:auto\/|http\/(?:routes\/)?auto)/.test(file));
    expect(auto.flatMap((file) => importsOf(file).filter(({ file: target }) => target?.startsWith('src/custom/')))).toEqual([]);
  });

  test.each(SEPARATE)('the members of %s do not know each other', (folder) => {
    const wrong = sources.flatMap((file) => {
      const here = memberOf(folder, file);
      if (here === undefined) return [];
      return importsOf(file).flatMap(({ file: target }) => {
        const there = target && memberOf(folder, target);
        return there && there !== here && !EXCEPTIONS.has(`${here} -> ${there}`) ? [`${file} imports ${target}`] : [];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('of the folders of custom point down only, type imports included', () => {
    const layerOf = (path: string): number => LAYERS_OF_CUSTOM.indexOf(/^src\/custom\/([^/]+)\//.exec(path)?.[1] ?? '');
    const wrong = sources.flatMap((file) =>
      importsOf(file).flatMap(({ file: target = '' }) =>
        layerOf(file) >= 0 && layerOf(target) > layerOf(file) ? [`${file} imports ${target}`] : [],
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('make no cycles, not even of types', () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file).flatMap((found) => (found.file ? [found.file] : []))]));
    expect(findCycles(graph)).toEqual([]);
  });
});

/** Every cycle of imports. A file whose walk has ended is not walked again. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' -> '));
    if (start >= 0 || finished.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return cycles;
}

describe('folders', () => {
  const MAX_FILES = 20;

  test(`of src have at most ${MAX_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const file of sources) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
  });

  test('that are rooms have a README of at most 20 lines of at most 100 columns', () => {
    const rooms = [...new Set(sources.filter((file) => file.split('/').length > 2).map((file) => `src/${roomOf(file)}`))];
    const readmes = rooms.map((room) => `${room}/README.md`);
    const all = projectFiles();
    expect(readmes.filter((file) => !all.includes(file))).toEqual([]);
    const pages = all.filter((file) => /^src\/.*README\.md$/.test(file));
    const large = pages.filter((file) => {
      const lines = readProjectFile(file).trimEnd().split('\n');
      return lines.length > 20 || lines.some((line) => line.length > 100);
    });
    expect(large).toEqual([]);
  });

  test('beside each other do not import each other, not even types', () => {
    const edges = new Set<string>();
    for (const file of sources)
      for (const { file: target } of importsOf(file)) {
        if (target === undefined) continue;
        const [here, there] = [posix.dirname(file), posix.dirname(target)];
        if (here !== there && posix.dirname(here) === posix.dirname(there)) edges.add(`${here} <-> ${there}`);
      }
    expect([...edges].filter((edge) => edges.has(edge.split(' <-> ').reverse().join(' <-> ')))).toEqual([]);
  });
});

describe('files', () => {
  test('begin with a comment that says what they are for', () => {
    const headless = [...sources, ...sourceFiles('scripts')].filter(
      (file) => !/^(?:#!.*\n)?(?:\/\/ ?\S.{20}|\/\*\*?\s+(?:\* )?\S.{20})/.test(readProjectFile(file)),
    );
    expect(headless).toEqual([]);
  });

  test(`have at most ${MOST_LINES} lines`, () => {
    const long = everywhere.filter((file) => readProjectFile(file).split('\n').length > MOST_LINES + 1);
    expect(long).toEqual([]);
  });

  test('are named in kebab-case', () => {
    expect(everywhere.filter((file) => !/^(?:[a-z0-9-]+\/)+[a-z0-9-]+(?:(?:\.timed)?(?:\.long)?\.test)?\.(?:ts|mjs)$/.test(file))).toEqual(
      [],
    );
  });

  test('export by name: no default exports, no export *', () => {
    expect(linesMatching(everywhere, /^export (?:default\b|\*)/)).toEqual([]);
  });

  test('export no type under a name that another file exports too, but for engines, which are parallel', () => {
    const declared = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
    const places = new Map<string, Set<string>>();
    for (const file of sources) {
      const place = memberOf('src/engines', file) === undefined ? file : 'src/engines/*';
      for (const [, name = ''] of readProjectFile(file).matchAll(declared)) places.set(name, (places.get(name) ?? new Set()).add(place));
    }
    expect(places.size).toBeGreaterThan(sources.length / 2);
    expect([...places].filter(([, files]) => files.size > 1).map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([]);
  });

  test("use the field's words: the glossary in ARCHITECTURE.md has them", () => {
    const own = /\b(?:lend|lent|shelf|shelves|passengers?|[Mm]isfits?|[Gg]lances?|Soon|Flights?)\b/;
    const code = sources.filter((file) => file !== 'src/cli/demo/demo-data.ts');
    expect(linesMatching(code, own)).toEqual([]);
  });

  test('leave nothing to be done and silence no checks', () => {
    const marks = new RegExp(['TODO', 'FIXME', '@ts-ignore', '@ts-expect-error', '@ts-nocheck'].map((mark) => `${mark}\\b`).join('|'));
    const found = everywhere.filter((file) => file !== 'tests/tidy.test.ts' && marks.test(readProjectFile(file)));
    expect(found).toEqual([]);
  });

  test('skip no test and single none out', () => {
    expect(linesMatching(sourceFiles('tests'), /\b(?:test|it|describe)\.(?:skip|only|todo|skipIf|runIf|fails)\b/)).toEqual([]);
  });

  test("name no folder of a developer's machine", () => {
    const foreign = /(?:^|[\s'"`(=:])\/(?:work|root|home\/[a-z]\w*|Users\/[A-Za-z]\w*)\//m;
    const texts = projectFiles().filter((file) => !/\.(?:png|ico|gz|zip|woff2?)$/.test(file));
    expect(texts.filter((file) => foreign.test(readProjectFile(file)))).toEqual([]);
  });
});

describe('an engine', () => {
  const engineFiles = sources.filter((file) => memberOf('src/engines', file) !== undefined);
  const partOf = (file: string): string => file.split('/')[3] ?? '';

  test('is one folder: nobody else names one, but for its line in the registry, the demo, and where the records are kept', () => {
    const allowed = [/^src\/engines\/index\.ts$/, /^src\/cli\//, /^src\/store\//, /^src\/config\.ts$/];
    const others = sources.filter((file) => !engineFiles.includes(file) && !allowed.some((pattern) => pattern.test(file)));
    const names = OWN_ENGINES.flatMap((engine) => [engine.label, ...engine.names]).join('|');
    const types = OWN_ENGINES.map(({ type }) => type).join('|');
    // Types are two letters with other meanings too: only a comparison of a type is a switch.
    const named = new RegExp(`${names}|\\btype\\b\\W{1,8}'(?:${types})'`, 'i');
    const found = others.flatMap((file) =>
      readProjectFile(file)
        .split('\n')
        .flatMap((line, index) => (named.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  test('has bytes and SQL apart: protocol/ and dialect/ know types/ and failures, and nothing of each other', () => {
    const wrong = engineFiles.flatMap((file) =>
      importsOf(file).flatMap(({ file: target = '' }) => {
        const [here, there] = [partOf(file), partOf(target)];
        const isApart = ['protocol', 'dialect', 'types'].includes(here) && ['protocol', 'dialect'].includes(there) && here !== there;
        return isApart && !target.endsWith('/dialect/failures.ts') ? [`${file} imports ${target}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe('one place for', () => {
  const outside = (...allowed: RegExp[]): string[] => sources.filter((file) => !allowed.some((pattern) => pattern.test(file)));

  test('the environment: src/config.ts', () => {
    expect(linesMatching(outside(/^src\/config\.ts$/), /\bprocess\.env\b/)).toEqual([]);
  });

  test('printing: src/observe/log.ts and the command line', () => {
    expect(linesMatching(outside(/^src\/observe\/log\.ts$/, /^src\/cli\//), /(?<!\.\/)\bconsole\.\w|\bprocess\.std(?:out|err)\b/)).toEqual(
      [],
    );
  });

  test('the statuses of errors: src/errors', () => {
    const status = /\b(?:status|statusCode|status_code|code|writeHead|sendStatus)\b\s*(?:[:=(]|===?)\s*[45]\d\d\b/;
    expect(linesMatching(outside(/^src\/errors(?:\.ts$|\/)/, /^src\/engines\//), status)).toEqual([]);
  });

  test('the operators of filters: src/sql/operators.ts', () => {
    const branches = /(?:case|===|!==|has\(|includes\()\s*['"`](?:ne|le|ge|bw|nin|li|rli|nli|il)['"`]/;
    expect(linesMatching(outside(/^src\/sql\/operators\.ts$/, /^src\/lang\//), branches)).toEqual([]);
  });

  test('authorizing a plan: src/auto/plan/authorize.ts, and compiling it: src/sql', () => {
    expect(linesMatching(outside(/^src\/auto\/plan\/authorize\.ts$/), /\bas (?:unknown as )?Authorized\b/)).toEqual([]);
    expect(linesMatching(outside(/^src\/sql\//), /dialect\.(?:insert|update|delete|predicates)\(/)).toEqual([]);
  });

  test('bounds of what is remembered: src/util/bounded-map.ts', () => {
    const emptied = /\.size\b.*\.(?:clear|delete)\(|\[(?:oldest|first)\] = .*\.keys\(\)/;
    expect(linesMatching(outside(/^src\/util\/bounded-map\.ts$/, /^src\/lang\/lark\/library\//), emptied)).toEqual([]);
  });

  test('loading what many services never need: src/util/on-demand.ts, and for metrics src/util/prometheus.ts', () => {
    const atStart = /^(?:import (?!type\b).*|\} from )'(?:yaml|re2js|diff|micromark|@fastify\/busboy|prom-client|.*\/prometheus\.ts)'/;
    expect(linesMatching(outside(/^src\/util\/prometheus\.ts$/), atStart)).toEqual([]);
  });

  test('code out of text: nowhere', () => {
    expect(linesMatching(sources, /\beval\(|\bnew Function\b|\bFunction\(/)).toEqual([]);
  });
});

/**
 * The rooms in order of what they import: a room is one floor above the highest of those. Imports
 * of single files count as imports of their room, and rooms that may import anything are on top.
 */
function drawFloors(): string {
  const depths = new Map<string, number>();
  const depthOf = (room: string): number => {
    const known = depths.get(room);
    if (known !== undefined) return known;
    const allowed = MAY_IMPORT[room] ?? [];
    const below = [...new Set(allowed.map((entry) => entry.split('/')[0] ?? ''))].filter((name) => name !== room);
    const depth = below.length === 0 ? 0 : 1 + Math.max(...below.map(depthOf));
    depths.set(room, depth);
    return depth;
  };
  const isTop = (room: string): boolean => MAY_IMPORT[room] === ANYTHING;
  const floors: string[][] = [];
  for (const room of Object.keys(MAY_IMPORT).filter((name) => !isTop(name))) (floors[depthOf(room)] ??= []).push(room);
  floors.push(Object.keys(MAY_IMPORT).filter(isTop));
  return floors
    .map((rooms) => rooms.sort().join('  '))
    .reverse()
    .join('\n');
}

describe('documents', () => {
  test('ARCHITECTURE.md draws the floors as the import rules have them', () => {
    expect(readProjectFile('ARCHITECTURE.md')).toContain(`\`\`\`text\n${drawFloors()}\n\`\`\``);
  });

  test('ARCHITECTURE.md is a map of at most 150 lines, and names files that exist', () => {
    const text = readProjectFile('ARCHITECTURE.md');
    const known = new Set(projectFiles().map((file) => file.replace(/^src\//, '')));
    const isKnown = (name: string): boolean =>
      known.has(name) || known.has(`${name}.ts`) || [...known].some((file) => file.startsWith(`${name}/`) || file.endsWith(`/${name}.ts`));
    const named = [...text.matchAll(/`([a-z0-9]+(?:\/[a-z0-9-]+)+(?:\.ts)?|[a-z-]+\.ts)`/g)].map(([, name = '']) => name);
    expect(text.split('\n').length).toBeLessThanOrEqual(151);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !isKnown(name) && ![...known].some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  });

  test('docs/reference/errors.md lists every error (`npx vitest run tests/tidy.test.ts -u` writes it)', async () => {
    await expect(describeErrors()).toMatchFileSnapshot('../docs/reference/errors.md');
  });

  test('docs/reference/configuration.md has a row for every setting, with its default', () => {
    const rows = readProjectFile('docs/reference/configuration.md').split('\n');
    const missing = SETTINGS.filter(({ name, default: usual }) => {
      const row = rows.find((line) => line.startsWith('|') && line.includes(`\`MILLRACE_${name.toUpperCase()}\``));
      return row === undefined || !row.includes(usual);
    });
    expect(missing.map(({ name, default: usual }) => `MILLRACE_${name.toUpperCase()} (default ${usual || 'none'})`)).toEqual([]);
  });

  test('docs/reference/filters.md has a row for every operator, as its own row says, and no others', () => {
    const forms = { one: 'v', range: 'v.w', list: 'v,w' };
    const rows = Object.entries(OPERATORS).map(
      ([name, { values, columns, meaning }]) => `| \`${name}\` | \`${name}.${forms[values]}\` | ${columns} | ${meaning} |`,
    );
    const written = readProjectFile('docs/reference/filters.md').split('\n');
    expect(written.filter((line) => /^\| `[a-z]+` \| `[a-z]+\./.test(line))).toEqual(rows);
  });

  test('docs/reference/openapi.md has a row for every parameter of the Auto API, and no others', () => {
    const rows = Object.entries(PARAMETERS).map(
      ([name, { operations, description }]) => `| \`${name}\` | ${operations.join(', ')} | ${description} |`,
    );
    const written = readProjectFile('docs/reference/openapi.md').split('\n');
    expect(written.slice(written.indexOf('| parameter | operations | meaning |') + 2).filter((line) => line !== '')).toEqual(rows);
  });

  test('docs/decisions says why each runtime dependency is in', () => {
    const manifest = JSON.parse(readProjectFile('package.json')) as Record<string, Record<string, string>>;
    const decisions = projectFiles().filter((file) => /^docs\/decisions\/.*\.md$/.test(file));
    const said = decisions.map(readProjectFile).join('\n');
    // One decision speaks for the packages of all platforms.
    const names = [...Object.keys(manifest['dependencies'] ?? {}), ...Object.keys(manifest['optionalDependencies'] ?? {})];
    const spoken = names.map((name) => name.replace(/-?(?:darwin|linux|win32).*/, ''));
    expect([...new Set(spoken)].filter((name) => !said.includes(`\`${name}`))).toEqual([]);
  });

  test('links between the documents lead somewhere, to headings too', () => {
    const known = new Set(projectFiles());
    expect(allPages().flatMap((file) => brokenLinks(readPage(file), known))).toEqual([]);
  });

  test('blocks of code in pages for users are of a language that tests/docs knows how to try', () => {
    const known = new Set<string>(LANGUAGES);
    const fences = userPages().flatMap((file) => readPage(file).fences);
    expect(fences.filter(({ language }) => !known.has(language)).map(({ page, line, language }) => `${page}:${line}: ${language}`)).toEqual(
      [],
    );
  });
});

/** Generates the reference of errors from the table: by status, with placeholders in messages. */
function describeErrors(): string {
  const errors = Object.entries(ERRORS);
  const statuses = [...new Set(errors.map(([, { status }]) => status))].sort((one, other) => one - other);
  const parts = [
    '# Errors',
    '',
    'Every error response is JSON, regardless of `format`:',
    '`{"code": 404, "status": "Not Found", "message": "…"}`. The log entry with the same `X-Request-Id`',
    'has the name of the error from the tables below. For failures of databases and of the service it',
    'also has the reason.',
    '',
    'Errors of database writes have the header `X-Outcome`: `none` if nothing was written, `unknown` if',
    'a part was written or may have been written. For `unknown`, the message asks you to check the data',
    'before you repeat the request. A successful response has no such header.',
    '',
    'This page is generated from the table in `src/errors`; a test keeps it up to date.',
  ];
  for (const status of statuses) {
    parts.push('', `## ${status} ${REASONS[status] ?? ''}`.trimEnd(), '', '| name | message |', '|---|---|');
    for (const [key, { sentence }] of errors.filter(([, error]) => error.status === status))
      parts.push(`| \`${key}\` | ${sampleSentence(sentence).replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`);
  }
  return `${parts.join('\n')}\n`;
}

/** A message with its parameters' names in the places of their values. */
function sampleSentence(sentence: (...words: never[]) => string): string {
  const parameters = /^\(?([^)=]*)\)?\s*=>/.exec(sentence.toString())?.[1] ?? '';
  const names = parameters.split(',').filter((name) => name.trim() !== '');
  return sentence(...(names.map((name) => `‹${name.trim()}›`) as never[])).trim();
}

test('every locked package has a checksum', () => {
  const locks = projectFiles().filter((file) => file.endsWith('package-lock.json'));
  const unsafe = locks.flatMap((file) => {
    const { packages } = JSON.parse(readProjectFile(file)) as { packages: Record<string, { integrity?: string }> };
    return Object.entries(packages).flatMap(([path, { integrity }]) =>
      path === '' || integrity?.startsWith('sha512-') ? [] : [`${file}: ${path}`],
    );
  });
  expect(locks).toContain('package-lock.json');
  expect(unsafe).toEqual([]);
});
