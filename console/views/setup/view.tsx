/** Set-up: organizations, their projects, and the databases of a project. */

import { place } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { OrgList } from './orgs.tsx';
import { ProjectPage } from './project.tsx';
import { ProjectList } from './projects.tsx';

export function View() {
  useTitle('Set-up');
  const [, orgId, projectId] = place.value.segments;
  if (orgId === undefined) return <OrgList />;
  if (projectId === undefined) return <ProjectList key={orgId} orgId={orgId} />;
  return <ProjectPage key={projectId} orgId={orgId} projectId={projectId} />;
}
