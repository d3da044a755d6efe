/** Text of a definition as its author edits it: identifiers are added when it is sent. Pure. */
import { fieldOf, readYaml, textOf, type Yaml, type YamlEntry } from '../../parts/editor/yaml.ts';

const IDENTIFIERS = 'identifiers';

const entryOf = (tree: Yaml | undefined, key: string): YamlEntry | undefined =>
  tree?.kind === 'map' ? tree.entries.find((entry) => entry.key === key) : undefined;

/** Removes top-level fields that the author does not edit, with their lines. */
export function withoutFields(source: string, names: readonly string[]): string {
  return names.reduce((text, name) => {
    const tree = readYaml(text);
    const entry = entryOf(tree, name);
    if (entry === undefined) return text;
    if (tree?.kind === 'map' && tree.isFlow) return text.slice(0, entry.from) + text.slice(entry.to).replace(/^\s*,\s*/, '');
    const lineEnd = text.indexOf('\n', entry.to - 1);
    return text.slice(0, text.lastIndexOf('\n', entry.from - 1) + 1) + (lineEnd < 0 ? '' : text.slice(lineEnd + 1));
  }, source);
}

export const withoutIdentifiers = (source: string): string => withoutFields(source, [IDENTIFIERS]);

/** Place and author of a document. */
export type Identifiers = Readonly<Record<'org_id' | 'project_id' | 'space_id' | 'user_id' | 'feature_id', string>>;

/** Adds the identifiers behind the document, so that its lines stay where they are. */
export function withIdentifiers(source: string, ids: Identifiers): string {
  const tree = readYaml(source);
  if (entryOf(tree, IDENTIFIERS) !== undefined) return source;
  if (tree?.kind === 'map' && tree.isFlow) {
    const separator = tree.entries.length === 0 ? '' : ', ';
    return `${source.slice(0, tree.to - 1)}${separator}${IDENTIFIERS}: ${JSON.stringify(ids)}${source.slice(tree.to - 1)}`;
  }
  const lines = Object.entries(ids).map(([name, id]) => `  ${name}: ${id}\n`);
  return `${source}${source === '' || source.endsWith('\n') ? '' : '\n'}${IDENTIFIERS}:\n${lines.join('')}`;
}

/** Replaces the version. A document without one stays as it is. */
export function withVersion(source: string, version: string): string {
  const place = fieldOf(readYaml(source), 'http', 'version');
  if (place?.kind !== 'scalar' || version === '' || place.text === version) return source;
  return source.slice(0, place.from) + version + source.slice(place.to);
}

export interface Outline {
  readonly tree: Yaml | undefined;
  readonly uri: string;
  readonly method: string;
  readonly version: string;
  readonly inputType: string;
  readonly database: string;
}

export function outlineOf(source: string): Outline {
  const tree = readYaml(source);
  const http = (name: string): string => textOf(fieldOf(tree, 'http', name)) ?? '';
  return {
    tree,
    uri: http('uri'),
    method: http('method').toLowerCase(),
    version: http('version'),
    inputType: http('input_type') || 'json',
    database: textOf(fieldOf(tree, 'database', 'ref')) ?? '',
  };
}

/** Code of each step, in order. */
export function codeOfSteps(tree: Yaml | undefined): readonly string[] {
  const logic = fieldOf(tree, 'logic');
  if (logic?.kind !== 'list') return [];
  return logic.items.map((step) => textOf(fieldOf(step, 'sql') ?? fieldOf(step, 'code')) ?? '');
}

/** A definition that is valid as it is. */
export function newDefinition(role: string, database: string): string {
  return `about:
  summary: What this endpoint returns
permission: [${role}]
http:
  uri: examples/hello
  method: get
  version: 1.0.0
input:
  name: {type: string, default: world, example: Ada}
logic:
  - expr: hello
    code: '{"hello": input.name}'
database:
  ref: ${database}
`;
}
