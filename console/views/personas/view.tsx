/** The view personas. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Personas');
  return <Bar title="Personas" />;
}
