/** Personas: the list, and the editor of one. */
import '../../parts/workbench.css';
import { place } from '../../app/router.ts';
import { PersonaList } from './persona-list.tsx';
import { NewPersonaPage, PersonaPage } from './persona-page.tsx';

export function View() {
  const [, name] = place.value.segments;
  if (name === undefined) return <PersonaList />;
  return name === 'new' ? <NewPersonaPage /> : <PersonaPage key={name} name={name} />;
}
