/**
 * Fingerprints of tables: equal if and only if the tables are equal, in every instance of the
 * service. Pure.
 */
import { createHash } from 'node:crypto';
import type { Column, Table } from '../model/table.ts';
import { memo } from '../util/memo.ts';

export const tableFingerprint = memo(({ byName: _, columns, primaryKey, unique, order, sortedBy, ...facts }: Table): string => {
  const keys = [primaryKey, order, sortedBy, ...unique].map((key) => key.map(({ name }) => name));
  const text = JSON.stringify([facts, keys]) + columns.map(columnText).join('');
  return createHash('sha256').update(text).digest('base64url');
});

/** Tables may share columns. Bounds are bigint, which JSON cannot represent. */
const columnText = memo(({ min, max, ...column }: Column): string => JSON.stringify([column, String(min), String(max)]));
