// Maps declared types to kinds. SQLite does not enforce them; this engine trusts them.
import type { Column, Kind } from '../../../src/model/table.ts';

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/INT/i, 'int'],
  [/REAL|FLOA|DOUB/i, 'float'],
  [/BLOB/i, 'bytes'],
];

export function kindOf(type: string): Kind {
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'text';
}

export function typeFacts(type: string): Pick<Column, 'type' | 'kind' | 'cast' | 'sortable' | 'min' | 'max'> {
  const kind = kindOf(type);
  const facts = { type, kind, cast: type, sortable: true };
  return kind === 'int' ? { ...facts, min: -(2n ** 63n), max: 2n ** 63n - 1n } : facts;
}
