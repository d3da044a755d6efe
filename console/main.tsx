/** Starts the console. */
import '../ui/tokens.css';
import '../ui/base.css';
import './app/app.css';
import './parts/parts.css';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { context, isServerKey, loadContext } from './api/context.ts';
import { identity } from './api/identity.ts';
import { startEndpointFinder } from './app/endpoint-finder.ts';
import { startKeys } from './app/keys.ts';
import { Login } from './app/login.tsx';
import { place, startRouter } from './app/router.ts';
import { Shell } from './app/shell.tsx';
import { startTheme } from './app/theme.ts';
import { ErrorState, Loading } from './parts/states.tsx';
import { viewOf } from './views/index.ts';

function App() {
  const { kind } = identity.current.value;
  if (kind === 'unknown') return <Login />;
  if (isServerKey.value || context.value !== undefined) return <Shell />;
  return <Entering />;
}

/** Shown until the service has said who the caller is. */
function Entering() {
  const [error, setError] = useState<Error | undefined>(undefined);
  const enter = (): void => {
    setError(undefined);
    loadContext().catch(setError);
  };
  useEffect(enter, []);
  return error === undefined ? <Loading what="the console" /> : <ErrorState error={error} onRetry={enter} />;
}

startTheme();
startRouter();
startKeys();
startEndpointFinder();
identity.restore();
// The file of the view arrives while the service is asked who the caller is.
viewOf(place.value.segments[0] ?? '')
  ?.load()
  .catch(() => {});
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
