/** The view modules. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Modules');
  return <Bar title="Modules" />;
}
