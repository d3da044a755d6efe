/** The Power Token with which the link of `npm start` opens the console. */
import type { DemoClient, DemoIds } from './demo-client.ts';

const NAME = 'console';
const PATH = 'system/api/v1/token';
const PAGE_SIZE = 1000;

/** Returns the kept token if it still works, or a new one in its place. */
export async function ensureConsoleToken(client: DemoClient, ids: DemoIds, kept: string | undefined): Promise<string> {
  if (kept !== undefined && (await opensConsole(client, kept))) return kept;
  await removeOld(client, ids);
  const made = await client.send('POST', PATH, ids, { name: NAME, key_type: 'rwd', roles: ['admin'] });
  return String(made['power_token']);
}

/** A token that was deleted, or replaced by a lesser one, does not. */
async function opensConsole(client: DemoClient, token: string): Promise<boolean> {
  const { status, body } = await client.requestByToken('rest/meta/v1/context', token);
  return status === 200 && (body as { may?: { system?: boolean } }).may?.system === true;
}

/** Names of tokens are unique in a project. */
async function removeOld(client: DemoClient, ids: DemoIds): Promise<void> {
  for (let page = 0; ; page++) {
    const { body } = await client.request('GET', `${PATH}/list?pg=${page}&ps=${PAGE_SIZE}`, ids);
    const tokens = body as readonly { readonly name: string; readonly token_id: string }[];
    const old = tokens.find(({ name }) => name === NAME);
    if (old !== undefined) {
      await client.send('DELETE', `${PATH}?token_id=${old.token_id}`, ids);
      return;
    }
    if (tokens.length < PAGE_SIZE) return;
  }
}
