/** Metadata of tables that relations lead to, loaded once each. */
import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../../../api/request.ts';
import type { TableDetail } from '../../../api/types.ts';

const known = new Map<string, Promise<TableDetail>>();

/** `database` is `pg/shop` or `pg/shop.sales`. */
export function readDetail(database: string, table: string): Promise<TableDetail> {
  const key = `${database}/${table}`;
  const present = known.get(key);
  if (present !== undefined) return present;
  const [type = '', schema = ''] = database.split('/');
  const loading = getJson<TableDetail>('rest/meta/v1/table/detail', { query: { type, schema, table }, asPersona: true });
  known.set(key, loading);
  loading.catch(() => known.delete(key));
  return loading;
}

/** Forgets everything, for example when another persona is chosen. */
export const forgetDetails = (): void => known.clear();

export function useRelatedTable(database: string, table: string | undefined): TableDetail | undefined {
  const [detail, setDetail] = useState<TableDetail | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    setDetail(undefined);
    if (table !== undefined)
      readDetail(database, table).then(
        (found) => isCurrent && setDetail(found),
        () => undefined,
      );
    return () => {
      isCurrent = false;
    };
  }, [database, table]);
  return detail;
}
