/** The program of an app's page. */
import '../ui/tokens.css';
import '../ui/base.css';
import './page.css';
import { usePublicToken } from './page/api.ts';
import { startLocale } from './page/app-context.ts';
import { type Block, readDocument } from './page/document.ts';
import { startRefresh } from './page/generation.ts';
import { readAddress, startInputs } from './page/inputs.ts';
import { mountApp } from './page/mount.tsx';
import { askForToken } from './page/token-page.tsx';

/** Names of the parameters that keep the state of tables and tabs. */
function stateNames(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap(({ id = '', row = [], tabs, table }) => [
    ...stateNames(row),
    ...(tabs === undefined ? [] : [id, ...tabs.flatMap((tab) => stateNames(tab.blocks))]),
    ...(table === undefined ? [] : [`${id}.sort`, `${id}.page`]),
  ]);
}

function start(): void {
  const text = document.getElementById('app')?.textContent;
  if (!text) return;
  const app = readDocument(text);
  startLocale(app);
  startInputs(app, new Set(stateNames(app.blocks)));
  startRefresh(app.refresh);
  mountApp(app);
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = (): void => {
  document.documentElement.dataset['theme'] = systemIsDark.matches && !matchMedia('print').matches ? 'dark' : 'light';
};
setTheme();
systemIsDark.addEventListener('change', setTheme);
window.addEventListener('beforeprint', () => {
  document.documentElement.dataset['theme'] = 'light';
});
window.addEventListener('afterprint', setTheme);

if (document.documentElement.dataset['mode'] === 'ui') askForToken(start);
else {
  usePublicToken(new URLSearchParams(location.search).get('pwt'));
  window.addEventListener('popstate', readAddress);
  start();
}
