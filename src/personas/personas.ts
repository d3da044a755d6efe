/**
 * The management API of personas: put, get, list, delete, copy, and the caller's own persona. Must
 * not import HTTP.
 */
import { ApiError, apiError, REASONS } from '../errors.ts';
import type { SpaceCaller } from '../model/caller.ts';
import type { Persona, PersonaDraft, PersonaRecord, Personas } from '../model/persona.ts';
import type { ProjectContext, SpaceScope } from '../model/project.ts';
import { parseUlid } from '../model/ulid.ts';
import type { Store } from '../store/store.ts';
import { runCooperatively } from '../util/concurrency/slices.ts';
import { parseJson, writeJson } from '../util/json/json.ts';
import { plainDocument } from '../util/json/plain-document.ts';
import type { PlainMap, PlainValue } from '../util/text/decimal.ts';
import { personaSlices, type SourceType } from './document.ts';
import type { DocumentReader } from './document-reader.ts';
import type { EffectivePersona } from './effective-persona.ts';

export interface PersonaAnswer {
  readonly status: number;
  readonly body: PlainValue;
  /** Object of the audit record. */
  readonly object: string;
}

/** Reports problems of a persona with its databases to the reader; returns warnings. */
export type CheckPersona = (persona: Persona, reader: DocumentReader) => Promise<readonly string[]>;

const MAX_DEPTH = 16;
const DOCUMENT = ['persona', 'about', 'roles', 'rank', 'tables'];

function done(status: number, message: string, object: string, more: object = {}): PersonaAnswer {
  return { status, body: plainDocument({ code: status, status: REASONS[status] ?? '', message, ...more }), object };
}

export interface PutRequest {
  readonly text: string;
  readonly type: SourceType;
  readonly isType: (dbType: string) => boolean;
  readonly check: CheckPersona;
}

/** Checks a document as `putPersona` does. Stores nothing. */
export async function checkDocument(caller: SpaceCaller, request: PutRequest): Promise<PlainValue> {
  try {
    const { warnings } = await readChecked(caller, request);
    return plainDocument({ valid: true, problems: [], warnings });
  } catch (error) {
    const problems = error instanceof ApiError ? error.list('problems') : undefined;
    if (problems === undefined) throw error;
    return plainDocument({ valid: false, problems, warnings: [] });
  }
}

/** Throws an error with all problems of a document. */
async function readChecked({ projectId }: SpaceCaller, { text, type, isType, check }: PutRequest) {
  const { persona, reader, source } = await runCooperatively(personaSlices(text, type, isType), projectId);
  const warnings = await check(persona, reader);
  reader.finish();
  return { persona, source, warnings };
}

export async function putPersona(store: Store, caller: SpaceCaller, request: PutRequest): Promise<PersonaAnswer> {
  const { persona, source, warnings } = await readChecked(caller, request);
  const { persona: name, about, roles, rank } = persona;
  const written = [...(source.value as PlainMap)].filter(([field]) => DOCUMENT.includes(field));
  const draft = { persona: name, about, roles, rank, document: writeJson(new Map(written)), userId: caller.userId };
  const outcome = await store.putPersonas(caller, [draft]);
  if (outcome === 'space_unknown') throw apiError('space_unknown');
  if (outcome === 'created') return done(201, `The persona ${name} was stored and is live.`, name, { persona: name, warnings });
  return done(200, `The persona ${name} was replaced and is live.`, name, { persona: name, warnings });
}

export async function personasOf(store: Store, { orgId, projectId, spaceId }: SpaceScope): Promise<Personas> {
  return (await store.personas(orgId, projectId, spaceId)) ?? new Map();
}

function documentOf({ document }: PersonaRecord): PlainMap {
  return parseJson(Buffer.from(document), { maxDepth: MAX_DEPTH }) as PlainMap;
}

async function findPersona(store: Store, scope: SpaceScope, name: string): Promise<PersonaRecord> {
  const persona = (await personasOf(store, scope)).get(name);
  if (persona === undefined) throw apiError('persona_unknown', name);
  return persona;
}

/** Returns the document with its author and time. */
export async function getPersona(store: Store, caller: SpaceCaller, name: string): Promise<PlainMap> {
  const record = await findPersona(store, caller, name);
  return new Map<string, PlainValue>([...documentOf(record), ['updated_at', record.updatedAt], ['user_id', record.userId]]);
}

export async function listPersonas(store: Store, caller: SpaceCaller): Promise<PlainValue> {
  return plainDocument(
    Array.from((await personasOf(store, caller)).values(), ({ persona, about, roles, rank, userId, updatedAt }) => ({
      persona,
      about,
      roles,
      rank,
      user_id: userId,
      updated_at: updatedAt,
    })),
  );
}

export async function deletePersona(store: Store, caller: SpaceCaller, name: string): Promise<PersonaAnswer> {
  if (!(await store.deletePersona(caller, name))) throw apiError('persona_unknown', name);
  return done(200, `The persona ${name} was deleted.`, name);
}

interface CopyRequest {
  readonly target: string;
  readonly names: readonly string[];
}

function readCopy(body: PlainValue): CopyRequest {
  if (!(body instanceof Map)) throw apiError('body_not_object');
  const target = body.get('target_space_id');
  const names = body.get('personas');
  const isList = Array.isArray(names) && (names as readonly PlainValue[]).every((name) => typeof name === 'string');
  const unknown = [...body.keys()].filter((name) => name !== 'target_space_id' && name !== 'personas');
  const problems = [
    ...(typeof target === 'string' ? [] : ['target_space_id must be a string']),
    ...(isList && names.length > 0 ? [] : ['personas must be a list of names, with at least one']),
    ...unknown.map((name) => `${name.slice(0, 80)} is unknown`),
  ];
  if (typeof target !== 'string' || !isList || problems.length > 0) throw apiError('bad_field', problems.join('; '));
  return { target: parseUlid(target) ?? target, names: [...new Set(names as readonly string[])] };
}

export async function copyPersonas(
  store: Store,
  caller: SpaceCaller,
  { spaces }: ProjectContext,
  body: PlainValue,
): Promise<PersonaAnswer> {
  const { target, names } = readCopy(body);
  if (!spaces.has(target)) throw apiError('space_unknown');
  const personas = await personasOf(store, caller);
  const drafts = names.map((name): PersonaDraft => {
    const record = personas.get(name);
    if (record === undefined) throw apiError('persona_unknown', name);
    const { persona, about, roles, rank, document } = record;
    return { persona, about, roles, rank, document, userId: caller.userId };
  });
  const outcome = await store.putPersonas({ orgId: caller.orgId, projectId: caller.projectId, spaceId: target }, drafts, 'copy');
  if (outcome === 'space_unknown') throw apiError('space_unknown');
  return { status: 200, body: plainDocument({ copied: names }), object: names.join(' ') };
}

/** Describes the caller's effective persona and its grants. */
export function describeEffectivePersona(caller: SpaceCaller, effective: EffectivePersona): PlainMap {
  const isPersona = effective.kind === 'persona';
  return new Map<string, PlainValue>([
    ['persona', isPersona ? effective.persona.persona : null],
    ['personas', isPersona ? effective.all.map(({ persona }) => persona) : []],
    ['roles', [...caller.roles]],
    ['claims', caller.claims ?? new Map()],
    ['unrestricted', effective.kind === 'unrestricted'],
    ['tables', isPersona ? (documentOf(effective.persona).get('tables') ?? new Map()) : new Map()],
  ]);
}
