/** Enters a project. The holder of the server key gets a token for its space dev. */
import { consoleTokenName, inHours, isServerKey, loadContext } from '../../api/context.ts';
import { identity } from '../../api/identity.ts';
import { getSystem, type Project, sendSystem } from '../../api/system.ts';
import { addressOf, navigate } from '../../app/router.ts';

const TOKEN_HOURS = 12;

export async function openProject({ org_id, project_id }: Project): Promise<void> {
  if (isServerKey.value) {
    const orgId = org_id;
    const { spaces } = await getSystem<Project>('project', { orgId }, { query: { project_id } });
    const space = spaces.find(({ name }) => name === 'dev') ?? spaces[0];
    const scope = { orgId, projectId: project_id, spaceId: space?.space_id, roles: 'admin' };
    const body = { name: consoleTokenName(), key_type: 'rwd', roles: ['admin'], expires_at: inHours(TOKEN_HOURS) };
    const made = await sendSystem<{ power_token: string }>('POST', 'token', body, scope);
    identity.useToken(made.power_token);
    await loadContext();
  }
  await navigate(addressOf([]));
}
