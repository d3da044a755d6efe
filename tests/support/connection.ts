/** An engine's connection to a test database, without a pool or a service. */
import type { Connection, Engine } from '../../src/engines/contract/engine.ts';
import { ENGINES } from '../../src/engines/index.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { TestDatabase } from './engines.ts';

export interface Direct {
  readonly engine: Engine;
  readonly connection: Connection;
}

/** The database as an entry of a project. */
export function entryTo({ address: { host, port, user, password }, dbType, name }: TestDatabase, connections = 1): Entry {
  return {
    id: name,
    type: dbType,
    database: name,
    hosts: [{ host, port }],
    username: user,
    password,
    tls: 'disable',
    connectTimeoutSecs: 10,
    idleTimeoutSecs: 10,
    maxOpenConnections: connections,
    maxIdleConnections: connections,
    queryTimeoutSecs: 10,
  };
}

export async function connectTo(database: TestDatabase): Promise<Direct> {
  const { host, port } = database.address;
  const engine = ENGINES.find(database.dbType);
  if (engine === undefined) throw new Error(`no engine ${database.dbType}`);
  const at = { host: { host, port }, address: host, timeoutMs: 10_000 };
  return { engine, connection: await engine.connect(entryTo(database), at) };
}
