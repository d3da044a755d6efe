/** Parses `$expand` into a tree of items with options. Must not know tables. */
import { apiError } from '../../errors.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import { detached } from '../../util/text/detached.ts';
import { columnList, type OrderItem, parseOrder } from './column-lists.ts';
import { parseNamedFilter, type RawFilter, type RelatedSelector } from './filter-syntax.ts';
import { readItem, split } from './related-item.ts';

export interface ExpandItem extends RelatedSelector {
  /** Name of the field that holds the related rows. */
  readonly key: string;
  readonly select: readonly string[] | undefined;
  readonly order: readonly OrderItem[] | undefined;
  readonly size: number | undefined;
  readonly expand: readonly ExpandItem[];
}

const MAX_LEVELS = 3;
const MAX_ITEMS = 10;

/** Applications repeat a few texts. The cache is bounded by their total length. */
const known = new BoundedMap<string, readonly ExpandItem[]>(1_000_000, { sizeOf: (_, text) => text.length + 1 });

export function parseExpand(text: string, maxPageSize: number): readonly ExpandItem[] {
  const key = `${maxPageSize} ${text}`;
  let parsed = known.get(key);
  if (parsed === undefined) {
    parsed = expandItems(text, 1, { items: { left: MAX_ITEMS }, maxPageSize });
    known.set(detached(key), parsed);
  }
  return parsed;
}

interface Bounds {
  readonly items: { left: number };
  readonly maxPageSize: number;
}

function expandItems(text: string, level: number, bounds: Bounds): readonly ExpandItem[] {
  if (level > MAX_LEVELS) throw invalid('$expand', `it may be nested ${MAX_LEVELS} levels deep at most`);
  return split(text, ',', '$expand').map((item) => {
    if (--bounds.items.left < 0) throw invalid('$expand', `it may have ${MAX_ITEMS} items in all at most`);
    return expandItem(item, level, bounds);
  });
}

const OPTIONS = ['$select', '$order', '$ps', '$expand'];

function expandItem(text: string, level: number, bounds: Bounds): ExpandItem {
  const { alias, table, hint, options } = readItem('$expand', text);
  const single = new Map<string, string>();
  const filters: RawFilter[] = [];
  for (const { name, value } of options) {
    if (!OPTIONS.includes(name)) filters.push(parseNamedFilter(name, value));
    else if (single.has(name)) throw apiError('repeated_parameter', name);
    else single.set(name, value);
  }
  const nested = single.get('$expand');
  return {
    key: alias ?? table,
    table,
    hint,
    filters,
    select: columnList('$select', single.get('$select')),
    order: parseOrder(single.get('$order')),
    size: sizeOf(single.get('$ps'), bounds.maxPageSize),
    expand: nested === undefined ? [] : expandItems(nested, level + 1, bounds),
  };
}

function sizeOf(text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text) || Number(text) < 1) throw invalid('$ps', 'it must be a whole number of at least 1');
  if (Number(text) > max) throw invalid('$ps', `it may be ${max} at most`);
  return Number(text);
}

const invalid = (name: string, why: string): Error => apiError('parameter_invalid', name, why);
