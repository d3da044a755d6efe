/** The caller, its project and its rights, as the service reports them. */
import { computed, signal } from '@preact/signals';
import { identity } from './identity.ts';
import { ApiError, getJson, sendJson } from './request.ts';
import type { Context, Space } from './types.ts';

/** `undefined` until the service has answered, and for the holder of the server key. */
export const context = signal<Context | undefined>(undefined);

export const isServerKey = computed(() => identity.current.value.kind === 'server-key');

/** `true` if the caller may use set-up, live figures and audit. */
export const maySystem = computed(() => isServerKey.value || context.value?.may.system === true);

/** Asks who the caller is. Forgets an identity that the service refuses. */
export async function loadContext(): Promise<void> {
  const { kind } = identity.current.value;
  if (kind === 'unknown' || kind === 'server-key') return;
  try {
    context.value = await getJson<Context>('rest/meta/v1/context');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (kind === 'gateway') identity.forget();
    else identity.forget(error.message);
  }
}

export function logOut(): void {
  context.value = undefined;
  identity.forget();
}

/** Replaces the token by one for another space of the project, made with the present one. */
export async function enterSpace(space: Space): Promise<void> {
  const roles = context.value?.roles ?? [];
  const made = await sendJson<{ power_token: string }>('POST', 'system/api/v1/token', {
    name: consoleTokenName(),
    key_type: context.value?.token?.key_type ?? 'rwd',
    roles,
    space_id: space.space_id,
    expires_at: inHours(12),
  });
  identity.useToken(made.power_token);
  await loadContext();
}

export const consoleTokenName = (): string => `console ${new Date().toISOString()}`;

export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
