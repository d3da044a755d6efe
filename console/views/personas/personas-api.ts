/** Requests about personas. */
import { context } from '../../api/context.ts';
import { getJson, request } from '../../api/request.ts';
import type { CheckAnswer } from '../../parts/check.ts';
import { withoutFields } from '../endpoints/definition.ts';

const PATH = 'persona/v1';
const YAML = 'application/x-yaml';
/** Fields of an answer that are not part of the document. */
const NOT_OF_DOCUMENT = ['updated_at', 'user_id'];

export interface PersonaItem {
  readonly persona: string;
  readonly about: string | null;
  readonly roles: readonly string[];
  readonly rank: number;
  readonly user_id: string;
  readonly updated_at: string;
}

/** `true` if the caller may change personas and look through their eyes. */
export const mayChangePersonas = (): boolean => context.value?.may.admin === true;

export const listPersonas = (signal: AbortSignal): Promise<readonly PersonaItem[]> =>
  getJson<readonly PersonaItem[]>(`${PATH}/list`, { signal });

export async function readPersona(persona: string, signal: AbortSignal): Promise<string> {
  const { text } = await request('GET', PATH, { query: { persona, format: 'yaml' }, signal });
  return withoutFields(text, NOT_OF_DOCUMENT);
}

export async function checkPersona(document: string, signal: AbortSignal): Promise<CheckAnswer> {
  const { text } = await request('POST', `${PATH}/check`, { body: document, contentType: YAML, signal });
  return JSON.parse(text) as CheckAnswer;
}

export interface StoredPersona {
  readonly persona: string;
  readonly message: string;
  readonly warnings: readonly string[];
}

export async function storePersona(document: string): Promise<StoredPersona> {
  return JSON.parse((await request('POST', PATH, { body: document, contentType: YAML })).text) as StoredPersona;
}

export async function deletePersona(persona: string): Promise<string> {
  const { text } = await request('DELETE', PATH, { query: { persona } });
  return (JSON.parse(text) as { message: string }).message;
}

/** Asks the service whether the caller may act as the persona with these claims. */
export async function tryPersona(persona: string, claims: string): Promise<void> {
  const headers = { 'x-persona': persona, ...(claims === '' ? {} : { 'x-persona-claims': claims }) };
  await request('GET', `${PATH}/me`, { headers });
}
