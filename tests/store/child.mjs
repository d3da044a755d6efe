// A process with its own store: its first message opens it, the next ones call its functions.
import { pathToFileURL } from 'node:url';

const [modulePath] = process.argv.slice(2);
const { openStore } = await import(pathToFileURL(modulePath).href);
let store;

const reply = (id, outcome) => process.send?.({ id, ...outcome });

process.on('message', async ({ id, open, call, args }) => {
  try {
    if (open !== undefined) {
      store = await openStore(open);
      reply(id, { value: null });
      return;
    }
    await store.refresh();
    const value = await store[call](...args);
    reply(id, { value });
    if (call === 'close') process.disconnect();
  } catch (error) {
    reply(id, { error: error instanceof Error ? error.message : String(error) });
  }
});
