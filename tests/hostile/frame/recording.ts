// Records conversations of our driver with a real engine, through a proxy.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { ENGINES } from '../../../src/engines/index.ts';
import type { Entry } from '../../../src/model/entry.ts';
import type { TestDatabase } from '../../support/engines.ts';
import { playScript } from './client.ts';
import type { Conversation, Protocol, Script, Turn } from './protocol.ts';

interface Heard {
  heard: number;
  said: Buffer[];
}

export function entryFor(database: TestDatabase, at: { readonly host: string; readonly port: number }, password: string): Entry {
  return {
    id: 'hostile',
    type: database.dbType,
    database: database.name,
    hosts: [at],
    username: database.address.user,
    password,
    tls: 'disable',
    connectTimeoutSecs: 5,
    idleTimeoutSecs: 10,
    maxOpenConnections: 1,
    maxIdleConnections: 1,
    queryTimeoutSecs: 5,
  };
}

export async function record(protocol: Protocol, database: TestDatabase): Promise<Conversation[]> {
  const conversations: Conversation[] = [];
  for (const script of protocol.scripts) conversations.push(...(await recordScript(protocol, database, script)));
  return conversations;
}

/** A script may use several connections; each of them is a conversation. */
async function recordScript(protocol: Protocol, database: TestDatabase, script: Script): Promise<Conversation[]> {
  const taken: Heard[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(protocol.address(database));
    const turns: Heard[] = [];
    taken.push(turns);
    let heard = 0;
    for (const socket of [client, target]) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      const isProbe = heard === 0 && protocol.probe !== undefined && chunk.toString('latin1').startsWith(protocol.probe.question);
      if (isProbe) taken.splice(taken.indexOf(turns), 1);
      heard += chunk.length;
      target.write(chunk);
    });
    client.on('end', () => target.end());
    target.on('data', (chunk) => {
      const last = turns.at(-1);
      if (last?.heard === heard) last.said.push(chunk);
      else turns.push({ heard, said: [chunk] });
      client.write(chunk);
    });
    target.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  try {
    const engine = ENGINES.find(database.dbType);
    if (engine === undefined) throw new Error(`no engine ${database.dbType}`);
    const played = await playScript(engine, entryFor(database, at, database.address.password), at, script, { format: 'json' });
    if (played.failure !== undefined) throw new Error(`the script "${script.name}" fails on the real engine`, { cause: played.failure });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
  return taken.map((turns) => ({ script, turns: turns.map((turn, i) => framed(protocol, turn, i)) }));
}

function framed(protocol: Protocol, { heard, said }: Heard, turn: number): Turn {
  const bytes = Buffer.concat(said);
  const messages = protocol.frame(bytes, turn);
  if (!Buffer.concat(messages).equals(bytes)) throw new Error(`${protocol.name}: the messages of a turn are not what the server said`);
  return { heard, messages };
}
