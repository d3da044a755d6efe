// Clients with loose types, so that one test works on all tables.
import { createClient, type ServiceFacts, type TableClient, type TableShape } from '../../src/client/index.ts';

interface Loose extends TableShape {
  row: Record<string, unknown>;
  insert: Record<string, unknown>;
  update: Record<string, unknown>;
  where: Record<string, unknown>;
  key: unknown;
  kinds: Record<string, 'int'>;
  relations: Record<string, { table: Loose; kind: 'many' }>;
}

export type LooseTable = TableClient<Loose>;

export interface LooseApi {
  db(name: string): Record<string, LooseTable>;
  call(uri: string, input?: object, options?: { method?: string; version?: string; signal?: AbortSignal }): Promise<unknown>;
}

export function looseClient(options: Parameters<typeof createClient>[0], facts: Partial<ServiceFacts> = {}): LooseApi {
  return createClient(options, { prefix: 'svc', org: 'o', project: 'p', floats: {}, ...facts }) as unknown as LooseApi;
}
