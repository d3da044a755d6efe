// The remaining differences between the engines, each with its reason. The suites skip the cases
// listed here; docs/reference/engines.md describes them to users.
import type { EngineName } from '../../support/engines.ts';

export interface Difference {
  readonly engines: readonly EngineName[];
  /** The logical types concerned. */
  readonly types: readonly string[];
  readonly what: 'order' | 'absent';
  readonly reason: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    engines: ['clickhouse', 'mariadb'],
    types: ['uuid'],
    what: 'order',
    reason: 'UUIDs are ordered as the engine stores them: ClickHouse by the second half first, MariaDB by the fields of a version 1 UUID',
  },
  { engines: ['clickhouse'], types: ['bytes'], what: 'absent', reason: 'ClickHouse has no binary type: String is text' },
];

export function differs(engine: EngineName, type: string, what: Difference['what']): boolean {
  return DIFFERENCES.some((known) => known.what === what && known.engines.includes(engine) && known.types.includes(type));
}
