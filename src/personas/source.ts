/**
 * Reads the text of a persona, YAML or JSON, as a plain value with the position of each part.
 * Rejects tags, aliases, merge keys and duplicate keys. Must not know personas.
 */
import type { Node, Scalar, YAMLMap } from 'yaml';
import { runToEnd, type Slices } from '../util/concurrency/slices.ts';
import { JsonError, parseJson } from '../util/json/json.ts';
import { yaml } from '../util/on-demand.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import {
  parseYamlSlices,
  placedProblems,
  TEXT_START,
  type TextPlace,
  YamlError,
  type YamlLimits,
  type YamlProblem,
} from '../util/text/yaml.ts';

export interface DocumentSource {
  readonly value: PlainValue;
  /** Returns the position of a path such as `tables.pg/shop/orders.read`, if it is known. */
  readonly placeOf: (path: string) => TextPlace | undefined;
  /** `true` if sentences name positions. JSON is often on one line, where they say little. */
  readonly hasLines: boolean;
}

/** Thrown for a text that cannot be read at all. */
export class UnreadableSource extends Error {
  readonly problems: readonly YamlProblem[];

  constructor(message: string, problems: readonly YamlProblem[] = [{ message, ...TEXT_START }]) {
    super(message);
    this.problems = problems;
  }
}

const MAX_DEPTH = 16;
const MAX_YAML_BYTES = 1024 * 1024;
/** Room for a few thousand tables with their rules. */
const YAML_LIMITS: YamlLimits = { maxParts: 200_000, maxScalar: 64 * 1024 };

/** Positions in a larger JSON text are not looked up: that would delay other requests. */
const MAX_PLACED_JSON = 64 * 1024;

export function readJsonSource(text: string): DocumentSource {
  try {
    const value = parseJson(Buffer.from(text), { maxDepth: MAX_DEPTH });
    return { value, placeOf: text.length > MAX_PLACED_JSON ? () => undefined : placesInJson(text), hasLines: false };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new UnreadableSource(error.message, [{ message: error.reason, ...placeAt(text, error.position) }]);
  }
}

/** JSON is YAML, so the reader of YAML finds the positions, once one is needed. */
function placesInJson(text: string): DocumentSource['placeOf'] {
  const source = onceOf((): DocumentSource | undefined => {
    try {
      return runToEnd(yamlSourceSlices(text));
    } catch (error) {
      if (error instanceof UnreadableSource) return undefined;
      throw error;
    }
  });
  return (path) => source()?.placeOf(path);
}

function onceOf<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

export function* yamlSourceSlices(text: string): Slices<DocumentSource> {
  if (Buffer.byteLength(text) > MAX_YAML_BYTES)
    throw new UnreadableSource(`the document is larger than ${MAX_YAML_BYTES} bytes; send it as JSON`);
  try {
    const { documents, lines } = yield* parseYamlSlices(text, YAML_LIMITS);
    const placeIn = (offset: number): TextPlace => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    };
    const [first, second] = documents;
    if (first === undefined || first.contents === null) throw new UnreadableSource('the document is empty');
    if (second !== undefined) throw new UnreadableSource('there is more than one document');
    const reader = new YamlReader(placeIn);
    const value = yield* reader.read(first.contents, '', 1);
    return { value, placeOf: (path) => placeIn(reader.offsets.get(path) ?? 0), hasLines: true };
  } catch (error) {
    throw error instanceof YamlError ? new UnreadableSource(error.message, placedProblems(error.problems)) : error;
  }
}

const WHOLE = /^[+-]?\d{1,400}$/;
const FRACTION = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;
const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ['', null],
  ['~', null],
  ['null', null],
  ['true', true],
  ['false', false],
  ['True', true],
  ['False', false],
]);

/** Value of an unquoted scalar by YAML's rules. */
function plainScalar(text: string): PlainValue {
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return constant;
  if (WHOLE.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  return FRACTION.test(text) ? new Decimal(text) : text;
}

export function placeText({ line, column }: TextPlace): string {
  return `line ${line}, column ${column}`;
}

export function childPath(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Nodes per slice: about a millisecond. */
const SLICE_NODES = 500;

class YamlReader {
  readonly offsets = new Map<string, number>();
  readonly #placeIn: (offset: number) => TextPlace;
  #count = 0;

  constructor(placeIn: (offset: number) => TextPlace) {
    this.#placeIn = placeIn;
  }

  *read(node: Node, path: string, depth: number): Slices<PlainValue> {
    if (++this.#count % SLICE_NODES === 0) yield;
    const offset = node.range?.[0] ?? 0;
    if (!this.offsets.has(path)) this.offsets.set(path, offset);
    if (depth > MAX_DEPTH) throw this.#error(offset, `nested deeper than ${MAX_DEPTH} levels`);
    const { isAlias, isMap, isScalar, isSeq } = yaml();
    if (isAlias(node)) throw this.#error(offset, 'aliases are not supported; write the value out');
    if (isMap(node)) return yield* this.#map(node as YAMLMap, path, depth);
    if (isSeq(node)) {
      const items: PlainValue[] = [];
      for (const item of node.items) items.push(yield* this.read(item as Node, childPath(path, items.length), depth + 1));
      return items;
    }
    if (!isScalar(node)) throw this.#error(offset, 'this is not a value');
    return scalarValue(node);
  }

  *#map({ items }: YAMLMap, path: string, depth: number): Slices<PlainMap> {
    const fields: PlainMap = new Map();
    for (const { key, value } of items) {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      if (!yaml().isScalar(key)) throw this.#error(offset, 'a key must be a plain word');
      const name = String(key.value);
      if (name === '<<') throw this.#error(offset, 'merge keys are not supported');
      const fieldPath = childPath(path, name);
      this.offsets.set(fieldPath, offset);
      fields.set(name, value === null ? null : yield* this.read(value as Node, fieldPath, depth + 1));
    }
    return fields;
  }

  #error(offset: number, message: string): UnreadableSource {
    const place = this.#placeIn(offset);
    return new UnreadableSource(`${placeText(place)}: ${message}`, [{ message, ...place }]);
  }
}

function scalarValue({ value, type }: Scalar): PlainValue {
  const text = String(value ?? '');
  return type === 'PLAIN' || type === undefined ? plainScalar(text) : text;
}
