/** Requests about Lark modules. */
import { context } from '../../api/context.ts';
import { getJson, request } from '../../api/request.ts';
import type { Problem } from '../../api/types.ts';
import type { CheckAnswer } from '../../parts/check.ts';
import { type Definition, listDefinitions } from '../endpoints/definitions-api.ts';

const PATH = 'code/v1/lark';
const YAML = 'application/x-yaml';

export interface ModuleItem {
  readonly module: string;
  readonly user_id: string;
  readonly updated_at: string;
}

export interface Module extends ModuleItem {
  readonly code: string;
}

export const listModules = (signal?: AbortSignal): Promise<readonly ModuleItem[]> =>
  getJson<readonly ModuleItem[]>(`${PATH}/list`, signal === undefined ? {} : { signal });

export const readModule = (module: string, signal?: AbortSignal): Promise<Module> =>
  getJson<Module>(PATH, { query: { module }, ...(signal === undefined ? {} : { signal }) });

/** Lines and columns before the code in the body. */
const CODE_LINE = 1;
const CODE_COLUMN = 2;

/** The code comes first, so that its lines differ from those of the body by a constant. */
function bodyOf(module: string, code: string): string {
  const { value } = context;
  const ids = {
    org_id: value?.org.org_id,
    project_id: value?.project.project_id,
    space_id: value?.space.space_id,
    user_id: value?.user_id,
  };
  const ending = code.endsWith('\n') ? '+' : '-';
  const lines = code.replace(/\n$/, '').split('\n');
  return [
    `code: |${CODE_COLUMN}${ending}`,
    ...lines.map((line) => (line === '' ? '' : ' '.repeat(CODE_COLUMN) + line)),
    `module: ${JSON.stringify(module)}`,
    ...Object.entries(ids).map(([name, id]) => `${name}: ${id}`),
    '',
  ].join('\n');
}

function inCode({ line = 1, column = 1, ...problem }: Problem): Problem {
  return { ...problem, line: Math.max(1, line - CODE_LINE), column: Math.max(1, column - CODE_COLUMN) };
}

export async function checkModule(module: string, code: string, signal: AbortSignal): Promise<CheckAnswer> {
  const { text } = await request('POST', `${PATH}/check`, { body: bodyOf(module, code), contentType: YAML, signal });
  const answer = JSON.parse(text) as CheckAnswer;
  return { ...answer, problems: answer.problems.map(inCode) };
}

export async function storeModule(module: string, code: string): Promise<string> {
  const { text } = await request('POST', PATH, { body: bodyOf(module, code), contentType: YAML });
  return (JSON.parse(text) as { message: string }).message;
}

/** With `safe`, a module that a definition loads is refused instead of deleted. */
export async function deleteModule(module: string, { safe }: { readonly safe: boolean }): Promise<string> {
  const { text } = await request('DELETE', PATH, { query: { module, ...(safe ? { safe: 'true' } : {}) } });
  return (JSON.parse(text) as { message: string }).message;
}

export interface Loaders {
  readonly definitions: readonly Definition[];
  readonly modules: readonly string[];
}

/** Definitions and modules that load a module, directly or through other modules. */
export async function findLoaders(module: string, signal: AbortSignal): Promise<Loaders> {
  const [definitions, list] = await Promise.all([listDefinitions(signal), listModules(signal)]);
  const others = await Promise.all(list.filter((other) => other.module !== module).map((other) => readModule(other.module, signal)));
  const loading = new Set([module]);
  for (let before = 0; before < loading.size; ) {
    before = loading.size;
    for (const other of others) if ([...loading].some((name) => namesModule(other.code, name))) loading.add(other.module);
  }
  loading.delete(module);
  const names = [module, ...loading];
  return { definitions: definitions.filter(({ uses }) => uses.modules.some((name) => names.includes(name))), modules: [...loading] };
}

/** `load("money", …)`, or `money.cents` without a load. */
function namesModule(code: string, module: string): boolean {
  const name = module.replace(/[.]/g, '\\.');
  return new RegExp(`\\bload\\(\\s*["']${name}["']|(?<![\\w."'])${name}\\.`).test(code);
}
