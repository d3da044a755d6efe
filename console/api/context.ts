/** The caller, its project and its rights, as the service reports them. */
import { batch, computed, signal } from '@preact/signals';
import { identity } from './identity.ts';
import { ApiError, getJson, send, sendJson, serviceUrl } from './request.ts';
import { spaceTokens } from './space-tokens.ts';
import type { Context, Space } from './types.ts';

/** `undefined` until the service has answered, and for the holder of the server key. */
export const context = signal<Context | undefined>(undefined);

export const isServerKey = computed(() => identity.current.value.kind === 'server-key');

/** `true` if the caller may use set-up, live figures and audit. */
export const maySystem = computed(() => isServerKey.value || context.value?.may.system === true);

/** The gateway decides who its caller is. */
export const mayLogOut = computed(() => identity.current.value.kind !== 'gateway');

const PATH = 'rest/meta/v1/context';

/** `false` if the service is busy or broken and has not judged the caller. */
const isRefusal = ({ status }: ApiError): boolean => status < 500 && status !== 429;

/** Asks who the caller is. Forgets an identity that the service refuses. */
export async function loadContext(signal?: AbortSignal): Promise<void> {
  const { kind } = identity.current.value;
  if (kind === 'unknown' || kind === 'server-key') return;
  try {
    context.value = await getJson<Context>(PATH, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (kind === 'gateway') identity.forget();
    else if (isRefusal(error)) identity.forget(error.message);
    else throw error;
  }
}

/** Goes on with a token if the service accepts it. Until then, who one is does not change. */
export async function enterWith(token: string): Promise<void> {
  const response = await send('GET', serviceUrl(PATH), { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new ApiError({ status: response.status, headers: response.headers, text });
  batch(() => {
    identity.useToken(token);
    context.value = JSON.parse(text) as Context;
  });
}

/** Follows a link with a token that was opened in this tab. */
export function enterByLink(): void {
  batch(() => {
    if (identity.takeFromLink()) context.value = undefined;
  });
}

export function logOut(): void {
  context.value = undefined;
  identity.forget();
}

/** Goes on in another space of the project: with the token that was made for it, or a new one. */
export async function enterSpace(space: Space): Promise<void> {
  const { value } = identity.current;
  if (value.kind === 'token' && context.value !== undefined) spaceTokens.keep(context.value.space.space_id, value.token);
  const known = spaceTokens.of(space.space_id);
  if (known !== undefined && (await accepts(known))) return;
  const token = await makeTokenFor(space);
  spaceTokens.keep(space.space_id, token);
  await enterWith(token);
}

/** `false` if the token was deleted or has expired. */
async function accepts(token: string): Promise<boolean> {
  try {
    await enterWith(token);
    return true;
  } catch (error) {
    if (error instanceof ApiError && isRefusal(error)) return false;
    throw error;
  }
}

async function makeTokenFor(space: Space): Promise<string> {
  const roles = context.value?.roles ?? [];
  const made = await sendJson<{ power_token: string }>('POST', 'system/api/v1/token', {
    name: consoleTokenName(),
    key_type: context.value?.token?.key_type ?? 'rwd',
    roles,
    space_id: space.space_id,
    expires_at: inHours(12),
  });
  return made.power_token;
}

export const consoleTokenName = (): string => `console ${new Date().toISOString()}`;

export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
