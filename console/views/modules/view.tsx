/** Lark modules: the list, and the editor of one. */
import '../../parts/workbench.css';
import { place } from '../../app/router.ts';
import { ModuleList } from './module-list.tsx';
import { ModulePage, NewModulePage } from './module-page.tsx';

export function View() {
  const [, name] = place.value.segments;
  if (name === undefined) return <ModuleList />;
  return name === 'new' ? <NewModulePage /> : <ModulePage key={name} name={name} />;
}
