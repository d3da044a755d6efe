/** The view data. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Data');
  return <Bar title="Data" />;
}
