/** The view setup. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Setup');
  return <Bar title="Setup" />;
}
