/**
 * The text of a persona, YAML or JSON, as a plain value that knows where each of its parts stands. Refuses tags, aliases, merge keys and
 * repeated keys. Knows nothing of personas.
 */
import type { Node, YAMLMap } from 'yaml';
import { JsonError, parseJson } from '../util/json/json.ts';
import { yaml } from '../util/on-demand.ts';
import { Decimal, type PlainMap, type PlainValue } from '../util/text/decimal.ts';
import { parseYaml, YamlError } from '../util/text/yaml.ts';
import { readQuickYaml } from './quick-yaml.ts';

export interface DocumentSource {
  readonly value: PlainValue;
  /** `line 3, column 5` of a path such as `tables.pg/shop/orders.read`; empty where the text has no lines of its own (JSON). */
  readonly placeOf: (path: string) => string;
}

/** A text that cannot be read at all. */
export class UnreadableSource extends Error {}

const MAX_DEPTH = 16;
/** Some thousand tables with their rules. */
const MOST_PARTS = 200_000;

export function readJsonSource(text: string): DocumentSource {
  try {
    return { value: parseJson(Buffer.from(text), { maxDepth: MAX_DEPTH }), placeOf: () => '' };
  } catch (error) {
    throw error instanceof JsonError ? new UnreadableSource(error.message) : error;
  }
}

/** Where something stands is asked for only when something is wrong. */
export function readYamlSource(text: string): DocumentSource {
  const value = readQuickYaml(text, plainScalar);
  if (value === undefined) return readWholeYaml(text);
  let whole: DocumentSource | undefined;
  return {
    value,
    placeOf: (path) => {
      whole ??= readWholeYaml(text);
      return whole.placeOf(path);
    },
  };
}

/** Everything that YAML has, with its places. */
export function readWholeYaml(text: string): DocumentSource {
  try {
    const { documents, lines } = parseYaml(text, MOST_PARTS);
    const placeAt = (offset: number): string => {
      const { line, col } = lines.linePos(offset);
      return `line ${line}, column ${col}`;
    };
    const [first, second] = documents;
    if (first === undefined || first.contents === null) throw new UnreadableSource('the document is empty');
    if (second !== undefined) throw new UnreadableSource('there is more than one document');
    const reader = new YamlReader(placeAt);
    const value = reader.read(first.contents, '', 1);
    return { value, placeOf: (path) => placeAt(reader.offsets.get(path) ?? 0) };
  } catch (error) {
    throw error instanceof YamlError ? new UnreadableSource(error.message) : error;
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

/** What YAML's own rules make of a scalar without quotes. */
function plainScalar(text: string): PlainValue {
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return constant;
  if (WHOLE.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  return FRACTION.test(text) ? new Decimal(text) : text;
}

export function childPath(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

class YamlReader {
  readonly offsets = new Map<string, number>();
  readonly #placeAt: (offset: number) => string;

  constructor(placeAt: (offset: number) => string) {
    this.#placeAt = placeAt;
  }

  read(node: Node, path: string, depth: number): PlainValue {
    const offset = node.range?.[0] ?? 0;
    if (!this.offsets.has(path)) this.offsets.set(path, offset);
    const refuse = (message: string): never => {
      throw new UnreadableSource(`${this.#placeAt(offset)}: ${message}`);
    };
    if (depth > MAX_DEPTH) return refuse(`nested deeper than ${MAX_DEPTH} levels`);
    const { isAlias, isMap, isScalar, isSeq } = yaml();
    if (isAlias(node)) return refuse('aliases are not supported; write the value out');
    if (isMap(node)) return this.#map(node as YAMLMap, path, depth);
    if (isSeq(node)) return node.items.map((item, index) => this.read(item as Node, childPath(path, index), depth + 1));
    if (!isScalar(node)) return refuse('this is no value');
    const text = String(node.value ?? '');
    return node.type === 'PLAIN' || node.type === undefined ? plainScalar(text) : text;
  }

  #map(map: YAMLMap, path: string, depth: number): PlainMap {
    const fields: PlainMap = new Map();
    for (const { key, value } of map.items) {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      if (!yaml().isScalar(key)) throw new UnreadableSource(`${this.#placeAt(offset)}: a key must be a plain word`);
      const name = String(key.value);
      if (name === '<<') throw new UnreadableSource(`${this.#placeAt(offset)}: merge keys are not supported`);
      const inside = childPath(path, name);
      this.offsets.set(inside, offset);
      fields.set(name, value === null ? null : this.read(value as Node, inside, depth + 1));
    }
    return fields;
  }
}
