/** The view tokens. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Tokens');
  return <Bar title="Tokens" />;
}
