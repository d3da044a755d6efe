/** Reads the `logic` section of a definition: the sources of its steps. Compiles nothing. */
import type { DocumentFields } from '../yaml/fields.ts';
import { type MapTree, placeOf, type ScalarTree, type SourcePlace, type Tree } from '../yaml/yaml-tree.ts';
import { isReservedName } from './names.ts';

export const STEP_KINDS = ['sql', 'lark', 'expr'] as const;
export type StepKindName = (typeof STEP_KINDS)[number];

export interface StepSource {
  readonly index: number;
  readonly kind: StepKindName;
  /** Present for lark and expr steps. */
  readonly name: string | undefined;
  readonly code: string;
  /** Place of the first character of the code. Lines of folded YAML code cannot be located. */
  readonly codeAt: SourcePlace;
  /** Indentation of the following lines. */
  readonly codeIndent: number;
  readonly omit: boolean;
}

const MAX_STEPS = 100;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export function readLogic(fields: DocumentFields, root: MapTree): readonly StepSource[] {
  const list = fields.list(root, 'logic');
  if (list !== undefined && list.items.length > MAX_STEPS) fields.problem(list, `logic has more than ${MAX_STEPS} steps`);
  const taken = new Set<string>();
  return (list?.items ?? []).slice(0, MAX_STEPS).flatMap((item, index) => {
    const step = readStep(fields, item, index);
    if (step?.name === undefined) return step ?? [];
    if (taken.has(step.name)) fields.problem(item, `logic[${index}]: the name ${step.name} is taken by another step`);
    taken.add(step.name);
    return step;
  });
}

function readStep(fields: DocumentFields, item: Tree, index: number): StepSource | undefined {
  const prefix = `logic[${index}].`;
  const tree = fields.map(item, `logic[${index}]`);
  if (tree === undefined) return undefined;
  const kinds = STEP_KINDS.filter((kind) => tree.fields.has(kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    fields.problem(tree, `logic[${index}] must have exactly one of sql, lark and expr`);
    return undefined;
  }
  const field = kind === 'sql' ? 'sql' : 'code';
  fields.known(tree, prefix, kind === 'sql' ? ['sql', 'omit'] : [kind, 'code', 'omit']);
  const name = kind === 'sql' ? undefined : fields.text(tree, kind, prefix, 'required', (text) => checkName(text, kind));
  const code = fields.text(tree, field, prefix, 'required') ?? '';
  return {
    index,
    kind,
    name,
    code,
    ...codePlace(tree, fields.scalar(tree, field, prefix)),
    omit: fields.flag(tree, 'omit', prefix, false),
  };
}

function codePlace(step: MapTree, code: ScalarTree | undefined): Pick<StepSource, 'codeAt' | 'codeIndent'> {
  if (code === undefined) return { codeAt: placeOf(step), codeIndent: 0 };
  const { line, column, block, indent, quoted } = code;
  if (block) return { codeAt: { line: line + 1, column: indent + 1 }, codeIndent: indent };
  return { codeAt: { line, column: quoted ? column + 1 : column }, codeIndent: 0 };
}

/** Converts an offset in the code of a step to a place in the document. */
export function placeAtOffset(source: StepSource, offset: number): SourcePlace {
  const before = source.code.slice(0, offset).split('\n');
  return placeInCode(source, before.length, (before.at(-1) ?? '').length + 1);
}

/** Converts a line and column in the code of a step (from 1) to a place in the document. */
export function placeInCode({ codeAt, codeIndent }: StepSource, line: number, column: number): SourcePlace {
  return { line: codeAt.line + line - 1, column: line === 1 ? codeAt.column + column - 1 : codeIndent + column };
}

function checkName(text: string, kind: 'lark' | 'expr'): string | undefined {
  if (!NAME.test(text)) return 'must be an identifier: a letter or _, then letters, digits and _';
  return isReservedName(text, kind) ? `must not be ${text}, which is a reserved name` : undefined;
}
