/**
 * Composes YAML tokens into documents in slices. The library composes a document in one call, so
 * a large block map is handed to it a few entries at a time. Must not know any schema.
 */
import type { CST, Document, Node, YAMLMap, YAMLParseError } from 'yaml';
import type { Slices } from '../concurrency/slices.ts';
import { yaml } from '../on-demand.ts';

/** Tokens that are composed at once: about a millisecond. */
const SLICE_TOKENS = 1_000;
/** Size of a value that cannot be divided: a list, or a map in braces. */
const MAX_VALUE_TOKENS = 20_000;

type Entry = CST.BlockMap['items'][number];

export interface NodeProblem {
  readonly message: string;
  readonly offset: number;
}

export function* composeSlices(tokens: readonly CST.Token[]): Slices<readonly Document.Parsed[]> {
  const maps: (CST.BlockMap | undefined)[] = [];
  const outlines = tokens.map((token) => {
    if (token.type !== 'document') return token;
    const map = token.value?.type === 'block-map' ? token.value : undefined;
    maps.push(map);
    return map === undefined ? token : { ...token, value: { ...map, items: [] } };
  });
  const documents = compose(outlines);
  for (const [index, { contents, errors }] of documents.entries()) {
    const map = maps[index];
    if (map !== undefined) yield* fill(contents as unknown as YAMLMap, map, errors);
    yield;
  }
  return documents;
}

function compose(tokens: Iterable<CST.Token>): Document.Parsed[] {
  const { Composer } = yaml();
  return [...new Composer({ schema: 'failsafe', prettyErrors: false, uniqueKeys: false }).compose(tokens)] as Document.Parsed[];
}

/** Composes the entries of a block map into `map`. Recursion ends at the depth of the document. */
function* fill(map: YAMLMap, token: CST.BlockMap, errors: YAMLParseError[]): Slices<void> {
  for (const entries of batches(token.items)) {
    const large = largeMapOf(entries);
    const items = large === undefined ? [...entries] : [{ ...entries[0], value: { ...large, items: [] } } as Entry];
    const offset = offsetOf(entries[0]) ?? token.offset;
    const [part] = compose([{ type: 'document', offset, start: [], value: { ...token, offset, items } }]);
    if (part === undefined) continue;
    const composed = part.contents as unknown as YAMLMap;
    errors.push(...part.errors);
    map.items.push(...composed.items);
    map.range = [map.range?.[0] ?? token.offset, composed.range?.[1] ?? token.offset, composed.range?.[2] ?? token.offset];
    yield;
    if (large !== undefined) yield* fill(composed.items[0]?.value as YAMLMap, large, errors);
  }
}

function offsetOf(entry: Entry | undefined): number | undefined {
  return (entry?.start[0] ?? entry?.key ?? entry?.sep?.[0])?.offset;
}

/** Consecutive entries of about SLICE_TOKENS tokens; a larger entry is returned alone. */
function* batches(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = [];
  let size = 0;
  for (const entry of entries) {
    const more = sizeOf(entry);
    if (size + more > SLICE_TOKENS && batch.length > 0) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(entry);
    size += more;
  }
  if (batch.length > 0) yield batch;
}

function largeMapOf([entry, next]: readonly Entry[]): CST.BlockMap | undefined {
  if (entry === undefined || next !== undefined || sizeOf(entry) <= SLICE_TOKENS) return undefined;
  return entry.value?.type === 'block-map' ? entry.value : undefined;
}

/** Number of tokens of an entry, its children included. */
function sizeOf({ start, key, sep, value }: CST.CollectionItem): number {
  let size = start.length + (sep?.length ?? 0);
  for (const token of [key, value]) {
    if (token === undefined || token === null) continue;
    size++;
    if (yaml().CST.isCollection(token)) for (const item of token.items) size += sizeOf(item);
  }
  return size;
}

/** Offset of the first value that is too large to be composed at once. */
export function tooLargeAt(tokens: readonly CST.Token[]): number | undefined {
  const open = tokens.flatMap((token) => (token.type === 'document' && token.value ? [token.value] : []));
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (token.type === 'block-map') for (const { value } of token.items) if (value) open.push(value);
    if (token.type !== 'block-map' && sizeOf({ start: [], value: token }) > MAX_VALUE_TOKENS) return token.offset;
  }
  return undefined;
}

/** Finds tags and duplicate keys; the library would compare every key of a map with every other. */
export function* nodeProblems({ contents }: Document.Parsed): Slices<readonly NodeProblem[]> {
  const { isMap, isScalar, isSeq } = yaml();
  const problems: NodeProblem[] = [];
  const open: unknown[] = [contents];
  for (let count = 1; open.length > 0; count++) {
    if (count % SLICE_TOKENS === 0) yield;
    const node = open.pop() as (Node & { readonly tag?: string }) | null;
    if (node === null) continue;
    if (node.tag !== undefined) problems.push({ message: 'tags are not allowed', offset: node.range?.[0] ?? 0 });
    if (isSeq(node)) open.push(...node.items);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      open.push(key, value);
      if (!isScalar(key)) continue;
      if (keys.has(key.value)) problems.push({ message: 'Map keys must be unique', offset: key.range?.[0] ?? 0 });
      keys.add(key.value);
    }
  }
  return problems.sort((a, b) => a.offset - b.offset);
}
