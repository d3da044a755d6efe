/** Names that the service knows: databases, tables, columns, roles, modules. Asked for once. */
import { context } from '../../api/context.ts';
import { getJson } from '../../api/request.ts';
import type { TableItem } from '../../api/types.ts';

export interface Surroundings {
  readonly databases: readonly string[];
  readonly roles: readonly string[];
  readonly tables: (ref: string) => Promise<readonly string[]>;
  readonly columns: (ref: string, table: string) => Promise<readonly string[]>;
  readonly modules: () => Promise<readonly string[]>;
}

const MAX_REMEMBERED = 200;

/** Remembers answers for the life of an editor. A refusal is an empty list. */
function remember(load: (key: string) => Promise<readonly string[]>): (key: string) => Promise<readonly string[]> {
  const kept = new Map<string, Promise<readonly string[]>>();
  return (key) => {
    const found = kept.get(key) ?? load(key).catch(() => []);
    if (kept.size >= MAX_REMEMBERED) kept.clear();
    kept.set(key, found);
    return found;
  };
}

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf('/'));
const schemaOf = (ref: string): string => ref.slice(ref.indexOf('/') + 1);

export function createSurroundings(): Surroundings {
  const tables = remember(async (ref) => {
    const found = await getJson<readonly TableItem[]>('rest/meta/v1/table/list', { query: { type: typeOf(ref), schema: schemaOf(ref) } });
    return found.map(({ table }) => table);
  });
  const columns = remember(async (key) => {
    const [ref = '', table = ''] = key.split(' ');
    const query = { type: typeOf(ref), schema: schemaOf(ref), table };
    const { columns: found } = await getJson<{ columns: readonly { name: string }[] }>('rest/meta/v1/table/detail', { query });
    return found.map(({ name }) => name);
  });
  const modules = remember(async () => {
    const found = await getJson<readonly { module: string }[]>('code/v1/lark/list');
    return found.map(({ module }) => module);
  });
  return {
    databases: context.value?.databases.map(({ ref }) => ref) ?? [],
    roles: [...new Set([...(context.value?.roles ?? []), 'admin', 'power'])],
    tables,
    columns: (ref, table) => columns(`${ref} ${table}`),
    modules: () => modules(''),
  };
}
