/** `<what> · <project> · Millrace`. */
import { useEffect } from 'preact/hooks';
import { context } from '../api/context.ts';

export function useTitle(what: string): void {
  const project = context.value?.project.name;
  useEffect(() => {
    document.title = [what, project, 'Millrace'].filter((part) => part !== undefined && part !== '').join(' · ');
  }, [what, project]);
}
