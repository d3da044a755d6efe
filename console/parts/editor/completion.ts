/** Completion of fields, tables, columns, earlier steps, inputs and modules. */
import { type Completion, type CompletionContext, type CompletionResult, completeFromList } from '@codemirror/autocomplete';
import { DEFINITION, PERSONA, type Shape, shapeAt } from './shapes.ts';
import { sqlPlace, tablesIn } from './statement-names.ts';
import type { Surroundings } from './surroundings.ts';
import { EXPR_WORDS, LARK_WORDS, SQL_WORDS } from './words.ts';
import { fieldOf, readYaml, textOf, type Yaml } from './yaml.ts';
import { type YamlPath, yamlPathAt } from './yaml-path.ts';

type Source = (context: CompletionContext) => CompletionResult | null | Promise<CompletionResult | null>;

const WORD = /[\w$]*$/;
/** Names of tables and databases contain slashes. */
const REF = /[\w$./*]*$/;

const option =
  (type: string, detail?: string) =>
  (label: string): Completion => ({ label, type, ...(detail === undefined ? {} : { detail }) });

export function completionSource(kind: 'definition' | 'persona' | 'lark', around: Surroundings): Source {
  if (kind === 'lark') return (context) => lark(context, around, []);
  return (context) => complete(context, kind === 'persona' ? PERSONA : DEFINITION, around);
}

async function complete(context: CompletionContext, root: Shape, around: Surroundings): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const before = text.slice(0, context.pos);
  const place = yamlPathAt(before);
  const step = root === DEFINITION ? stepAt(readYaml(text), context.pos) : undefined;
  if (step !== undefined && place.isValue) {
    const language = languageOf(place, step);
    if (language !== undefined) return LANGUAGES[language](context, around, step);
  }
  return place.isBlock ? null : fields(context, root, place, around, text);
}

async function fields(
  context: CompletionContext,
  root: Shape,
  { path, isValue }: YamlPath,
  around: Surroundings,
  text: string,
): Promise<CompletionResult | null> {
  const shape = shapeAt(root, path);
  if (shape === undefined) return null;
  const typed = context.matchBefore(shape.known === undefined ? WORD : REF);
  if (!context.explicit && (typed === null || typed.from === typed.to)) return null;
  const known = await knownNames(shape, path, around, text);
  const options = isValue
    ? [...(shape.values ?? []).map(option('constant')), ...known.map(option('constant'))]
    : [
        ...Object.entries(shape.fields ?? {}).map(([name, { about }]) => ({ ...option('property', about)(name), apply: `${name}: ` })),
        ...(path.length > 0 ? known.map((name) => ({ ...option('property')(name), apply: `${name}: ` })) : []),
      ];
  return options.length === 0 ? null : { from: typed?.from ?? context.pos, options, validFor: /^[\w$./*]*$/ };
}

async function knownNames({ known }: Shape, path: readonly string[], around: Surroundings, text: string): Promise<readonly string[]> {
  if (known === undefined) return [];
  if (known === 'databases') return around.databases;
  if (known === 'roles') return around.roles;
  if (known === 'tables') {
    const lists = await Promise.all(
      around.databases.map(async (ref) => [`${ref}/*`, ...(await around.tables(ref)).map((table) => `${ref}/${table}`)]),
    );
    return lists.flat();
  }
  const [, entry = ''] = path;
  const at = entry.lastIndexOf('/');
  return text === '' || at < 0 ? [] : around.columns(entry.slice(0, at), entry.slice(at + 1));
}

/** A step of a definition, and what its code can name. */
interface StepPlace {
  readonly kind: 'sql' | 'lark' | 'expr';
  readonly ref: string;
  readonly inputs: readonly string[];
  readonly results: readonly string[];
  /** Code of the step before the place. */
  readonly code: string;
  readonly at: number;
}

const KINDS = ['sql', 'lark', 'expr'] as const;

function stepAt(tree: Yaml | undefined, pos: number): StepPlace | undefined {
  const logic = fieldOf(tree, 'logic');
  if (logic?.kind !== 'list') return undefined;
  const index = logic.items.findLastIndex(({ from }) => from <= pos);
  const item = logic.items[index];
  const kind = KINDS.find((name) => fieldOf(item, name) !== undefined);
  if (item === undefined || kind === undefined) return undefined;
  const results = logic.items.slice(0, index).flatMap((earlier, at) => [`step_${at}`, ...namesOf(earlier)]);
  const inputs = fieldOf(tree, 'input');
  const uri = textOf(fieldOf(tree, 'http', 'uri')) ?? '';
  const code = fieldOf(item, kind === 'sql' ? 'sql' : 'code');
  return {
    kind,
    ref: textOf(fieldOf(tree, 'database', 'ref')) ?? '',
    inputs: [...new Set([...(inputs?.kind === 'map' ? inputs.entries.map(({ key }) => key) : []), ...bracesOf(uri)])],
    results,
    code: code?.kind === 'scalar' ? code.text : '',
    at: code?.from ?? pos,
  };
}

const namesOf = (step: Yaml): readonly string[] => [fieldOf(step, 'lark'), fieldOf(step, 'expr')].flatMap((name) => textOf(name) ?? []);
const bracesOf = (uri: string): readonly string[] => [...uri.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);

function languageOf({ path }: YamlPath, { kind }: StepPlace): keyof typeof LANGUAGES | undefined {
  if (path[0] !== 'logic') return undefined;
  if (path.at(-1) === 'sql') return 'sql';
  return path.at(-1) === 'code' && kind !== 'sql' ? kind : undefined;
}

function words(context: CompletionContext, options: readonly Completion[], pattern = WORD): CompletionResult | null {
  const typed = context.matchBefore(pattern);
  if (typed === null || (typed.from === typed.to && !context.explicit && !/[.:]$/.test(context.state.sliceDoc(typed.from - 1, typed.from))))
    return null;
  return { from: typed.from, options, validFor: /^\w*$/ };
}

async function sql(
  context: CompletionContext,
  around: Surroundings,
  { code, ref, inputs, results, at }: StepPlace,
): Promise<CompletionResult | null> {
  const before = context.state.sliceDoc(at, context.pos).replace(/\w*$/, '');
  const place = sqlPlace(before);
  const named = tablesIn(code);
  if (place.kind === 'parameter')
    return words(context, [...inputs.map(option('variable', 'input')), ...[...results, 'input', 'context'].map(option('variable'))]);
  if (place.kind === 'table') return words(context, (await around.tables(ref)).map(option('class', 'table')));
  if (place.kind === 'column') {
    const table = named.find(({ alias, table: name }) => alias === place.of || name === place.of)?.table ?? place.of;
    return words(context, (await around.columns(ref, table)).map(option('property', table)));
  }
  if (!context.explicit && context.matchBefore(/\w+$/) === null) return null;
  const columns = await Promise.all(
    [...new Set(named.map(({ table }) => table))].map(async (table) => (await around.columns(ref, table)).map(option('property', table))),
  );
  const tables = (await around.tables(ref)).map(option('class', 'table'));
  return words(context, [...columns.flat().map((column) => ({ ...column, boost: 2 })), ...tables, ...SQL_WORDS.map(option('keyword'))]);
}

async function lark(
  context: CompletionContext,
  around: Surroundings,
  results: readonly string[],
  inputs: readonly string[] = [],
): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const before = context.state.sliceDoc(line.from, context.pos);
  if (/\bload\(\s*"[\w.-]*$/.test(before)) return words(context, (await around.modules()).map(option('namespace', 'module')));
  if (/\binput\.\w*$/.test(before)) return words(context, inputs.map(option('property', 'input')));
  if (/\.\w*$/.test(before)) return null;
  const own = ['input', 'context', 'result', ...results].map(option('variable'));
  const modules = (await around.modules()).map(option('namespace', 'module'));
  return words(context, [...own, ...modules, ...LARK_WORDS.map(option('function'))]);
}

const LANGUAGES = {
  sql,
  lark: (context: CompletionContext, around: Surroundings, { results, inputs }: StepPlace) => lark(context, around, results, inputs),
  expr(context: CompletionContext, _: Surroundings, { results, inputs }: StepPlace) {
    const line = context.state.doc.lineAt(context.pos);
    const before = context.state.sliceDoc(line.from, context.pos);
    if (/\binput\.\w*$/.test(before)) return words(context, inputs.map(option('property', 'input')));
    if (/\.\w*$/.test(before)) return null;
    const all = [...['input', 'context', ...results].map(option('variable')), ...EXPR_WORDS.map(option('function'))];
    return completeFromList(all)(context);
  },
} as const;
