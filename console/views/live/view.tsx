/** The view live. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Live');
  return <Bar title="Live" />;
}
