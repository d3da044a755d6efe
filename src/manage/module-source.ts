/**
 * The text of a Lark module as clients send it: one YAML mapping, or two. Knows the positions of
 * the fields and of the code in it. Pure.
 */
import type { Document, Node, Scalar } from 'yaml';
import { apiError } from '../errors.ts';
import type { Slices } from '../util/concurrency/slices.ts';
import { yaml } from '../util/on-demand.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { parseYamlSlices, placedProblems, TEXT_START, type TextPlace, YamlError, type YamlProblem, yamlValue } from '../util/text/yaml.ts';

export interface ModuleSource {
  readonly fields: PlainMap;
  /** Position of a field; the start of the text if it is missing. */
  placeOf(field: string): TextPlace;
  /** Position of a place in the code, as far as the style of the text allows. */
  placeInCode(place: TextPlace): TextPlace;
}

/** Accepts one mapping or two YAML documents with a mapping each, which are merged. */
export function* moduleSourceSlices(text: string): Slices<ModuleSource> {
  const fields: PlainMap = new Map();
  const nodes = new Map<string, { readonly place: TextPlace; readonly value: Node | null }>();
  try {
    const { documents, lines } = yield* parseYamlSlices(text);
    const placeAt = (offset: number): TextPlace => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    };
    const used: { readonly document: Document.Parsed; readonly value: PlainValue }[] = [];
    for (const document of documents) {
      yield;
      const value = yamlValue(document);
      if (value !== null && value !== '') used.push({ document, value });
    }
    if (used.length === 0 || used.length > 2) throw invalid('there must be one mapping, or two documents.', TEXT_START);
    for (const { document, value } of used) {
      const { contents } = document;
      if (!(value instanceof Map) || !yaml().isMap(contents))
        throw invalid('each document must be a mapping.', placeAt(contents?.range?.[0] ?? 0));
      for (const { key, value: node } of contents.items) {
        const name = String((key as Scalar).value);
        const place = placeAt((key as Node).range?.[0] ?? 0);
        if (fields.has(name)) throw invalid(`${name.slice(0, 80)} occurs twice.`, place);
        fields.set(name, value.get(name) ?? null);
        nodes.set(name, { place, value: node as Node | null });
      }
    }
    const codeAt = codePlace(text, nodes.get('code')?.value ?? null, placeAt);
    return {
      fields,
      placeOf: (field) => nodes.get(field)?.place ?? TEXT_START,
      placeInCode: ({ line, column }) => codeAt({ line, column }),
    };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw apiError('body_not_yaml', error.message).withLists({ problems: placedProblems(error.problems) });
  }
}

function invalid(why: string, place: TextPlace) {
  const problem: YamlProblem = { message: why.replace(/\.$/, ''), ...place };
  return apiError('module_invalid', why).withLists({ problems: [problem] });
}

/** Lines of a block follow its header; in other styles only the first line has an exact column. */
function codePlace(text: string, node: Node | null, placeAt: (offset: number) => TextPlace): (place: TextPlace) => TextPlace {
  if (!yaml().isScalar(node)) return () => TEXT_START;
  const [from = 0, to = 0] = node.range ?? [];
  const { type } = node as Scalar;
  if (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') {
    const lines = text.slice(from, to).split('\n').slice(1);
    const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
    const header = placeAt(from).line;
    return ({ line, column }) => ({ line: header + line, column: indent + column });
  }
  const start = placeAt(from);
  const quote = type === 'PLAIN' ? 0 : 1;
  return ({ line, column }) => ({ line: start.line, column: line === 1 ? start.column + quote + column - 1 : start.column });
}
