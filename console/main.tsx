/** Starts the console. */
import '../ui/tokens.css';
import '../ui/base.css';
import './app/app.css';
import './parts/parts.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { context, enterByLink, isServerKey, loadContext } from './api/context.ts';
import { identity } from './api/identity.ts';
import { startEndpointFinder } from './app/endpoint-finder.ts';
import { startKeys } from './app/keys.ts';
import { Login } from './app/login.tsx';
import { place, startRouter } from './app/router.ts';
import { Shell } from './app/shell.tsx';
import { startTheme } from './app/theme.ts';
import { useResource } from './parts/resource.ts';
import { Await } from './parts/states.tsx';
import { viewOf } from './views/index.ts';

function App() {
  const { kind } = identity.current.value;
  if (kind === 'unknown') return <Login />;
  if (isServerKey.value || context.value !== undefined) return <Shell />;
  return <Entering key={kind} />;
}

/** Shown until the service has said who the caller is. */
function Entering() {
  const caller = useResource(loadContext, []);
  return (
    <Await of={caller} what="the console">
      {() => null}
    </Await>
  );
}

startTheme();
startRouter();
startKeys();
startEndpointFinder();
identity.restore();
window.addEventListener('hashchange', enterByLink);
effect(() => {
  if (identity.current.value.kind === 'unknown') context.value = undefined;
});
// The file of the view arrives while the service is asked who the caller is.
viewOf(place.value.segments)
  ?.load()
  .catch(() => {});
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
