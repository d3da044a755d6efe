/** A connection of an engine's own to a test database, without a pool or a service around it. */
import type { Connection, Engine } from '../../src/engines/engine.ts';
import { ENGINES } from '../../src/engines/index.ts';
import type { TestDatabase } from './engines.ts';

export interface Direct {
  readonly engine: Engine;
  readonly connection: Connection;
}

export async function connectTo(database: TestDatabase): Promise<Direct> {
  const { host, port, user, password } = database.address;
  const engine = ENGINES.find(database.dbType);
  if (engine === undefined) throw new Error(`no engine ${database.dbType}`);
  const at = { host, port };
  const entry = {
    id: 'x',
    type: database.dbType,
    database: database.name,
    hosts: [at],
    username: user,
    password,
    tls: 'disable',
    connectTimeoutSecs: 10,
    idleTimeoutSecs: 10,
    maxOpenConnections: 1,
    maxIdleConnections: 1,
    queryTimeoutSecs: 10,
  } as const;
  return { engine, connection: await engine.connect(entry, { host: at, address: host, timeoutMs: 10_000 }) };
}
