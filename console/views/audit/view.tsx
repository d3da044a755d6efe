/** The view audit. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Audit');
  return <Bar title="Audit" />;
}
