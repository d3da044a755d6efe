/** The view overview. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Overview');
  return <Bar title="Overview" />;
}
