/** The view endpoints. */
import { useTitle } from '../../app/title.ts';
import { Bar } from '../../parts/bar.tsx';

export function View() {
  useTitle('Endpoints');
  return <Bar title="Endpoints" />;
}
