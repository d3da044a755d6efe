/** Enters a project. The holder of the server key gets a token for its space dev. */
import { consoleTokenName, enterWith, inHours, isServerKey } from '../../api/context.ts';
import { getSystem, type Project, sendSystem } from '../../api/system.ts';
import { addressOf, navigate } from '../../app/router.ts';
import { toast } from '../../parts/toasts.tsx';

const TOKEN_HOURS = 12;

export async function openProject(project: Project): Promise<void> {
  try {
    if (isServerKey.value) await enterWith(await makeToken(project));
    await navigate(addressOf([]));
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { isError: true });
  }
}

async function makeToken({ org_id: orgId, project_id: projectId }: Project): Promise<string> {
  const { spaces } = await getSystem<Project>('project', { orgId }, { query: { project_id: projectId } });
  const space = spaces.find(({ name }) => name === 'dev') ?? spaces[0];
  const scope = { orgId, projectId, spaceId: space?.space_id, roles: 'admin' };
  const body = { name: consoleTokenName(), key_type: 'rwd', roles: ['admin'], expires_at: inHours(TOKEN_HOURS) };
  return (await sendSystem<{ power_token: string }>('POST', 'token', body, scope)).power_token;
}
