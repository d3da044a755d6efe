/**
 * Reads the text of an app, YAML or JSON, as a tree with places, and as an exact value. Must not
 * know apps.
 */
import { type MapTree, parseTreeSlices, type Tree, YamlProblems } from '../../custom/yaml/yaml-tree.ts';
import type { Slices } from '../../util/concurrency/slices.ts';
import { JsonError, parseJson } from '../../util/json/json.ts';
import { Decimal, type PlainMap, type PlainValue } from '../../util/text/decimal.ts';
import type { YamlLimits } from '../../util/text/yaml.ts';
import type { AppProblem } from './problems.ts';

export type AppSourceType = 'yaml' | 'json';

export const MAX_APP_BYTES = 256 * 1024;
const MAX_DEPTH = 32;
/** Enough for a document of the maximum size. */
const LIMITS: YamlLimits = { maxParts: 200_000, maxScalar: MAX_APP_BYTES };

/** Thrown for a text that cannot be read at all. */
export class UnreadableApp extends Error {
  readonly problems: readonly AppProblem[];

  constructor(problems: readonly AppProblem[]) {
    super(problems.map(({ message }) => message).join('; '));
    this.problems = problems;
  }
}

/** JSON is a subset of YAML: one reader knows the places in both. */
export function* readSource(text: string, type: AppSourceType): Slices<Tree> {
  if (type === 'json') checkJson(text);
  try {
    return yield* parseTreeSlices(text, LIMITS);
  } catch (error) {
    if (!(error instanceof YamlProblems)) throw error;
    throw new UnreadableApp(error.problems.map((problem) => ({ ...problem, path: '' })));
  }
}

function checkJson(text: string): void {
  try {
    parseJson(Buffer.from(text), { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const before = text.slice(0, error.position).split('\n');
    throw new UnreadableApp([{ path: '', line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message: error.message }]);
  }
}

const INTEGER = /^[+-]?\d+$/;

/** Converts a tree to a value whose numbers are exact. */
export function exactValue(tree: Tree): PlainValue {
  if (tree.kind === 'list') return tree.items.map(exactValue);
  if (tree.kind === 'map')
    return new Map([...tree.fields].map(([name, field]) => [name, versionText(tree, name, field) ?? exactValue(field)]));
  if (typeof tree.value !== 'number') return tree.value;
  if (!INTEGER.test(tree.text)) return new Decimal(tree.text);
  return Number.isSafeInteger(tree.value) ? tree.value + 0 : BigInt(tree.text);
}

/** The version of an endpoint is a text, also if it looks like a number: `1.10` stays `1.10`. */
function versionText({ fields }: MapTree, name: string, field: Tree): string | undefined {
  const isVersion = name === 'version' && (fields.has('from') || fields.has('call'));
  return isVersion && field.kind === 'scalar' && typeof field.value === 'number' ? field.text : undefined;
}

/** Fields that are added when a document is read. They are ignored when it is sent again. */
export const READ_ONLY_FIELDS: readonly string[] = ['updated_at', 'user_id'];

/** The document as a value, without read-only fields. */
export function documentValue(tree: Tree): PlainMap {
  const value = exactValue(tree);
  const fields = value instanceof Map ? [...value] : [];
  return new Map(fields.filter(([name]) => !READ_ONLY_FIELDS.includes(name)));
}
