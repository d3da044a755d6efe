/** Copies definitions into another space of the project, with the Lark modules that they load where that is wanted: all or nothing. */
import { apiError } from '../../errors.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import { parseCopyRequest } from './copy-request.ts';
import { type Author, insertedOrRefused, type Management, type ManagementAnswer, nameOf } from './definitions.ts';
import type { InspectOptions } from './inspection.ts';
import { definitionsLoading } from './modules.ts';
import { type PromotedModule, type Promotion, planPromotion } from './promotion.ts';

export async function copy(management: Management, author: Author, body: PlainValue, options: InspectOptions): Promise<ManagementAnswer> {
  const request = parseCopyRequest(body, author);
  const plan = await planPromotion(management, author, request, options);
  const modules = request.modules ? plan.modules.filter(({ state }) => state !== 'same') : [];
  const replaced = modules.filter(({ state }) => state === 'changed');
  if (replaced.length > 0 && !request.overwrite) throw modulesDiffer(plan, replaced);
  if (plan.problems.length > 0 && !request.force)
    throw apiError('copy_refused', plan.problems.map(({ message }) => `${message}.`).join(' ')).withLists({ problems: plan.problems });
  const warnings = [...plan.problems.map(({ message }) => message), ...plan.warnings, ...(await concerned(management, plan, replaced))];
  const inserted = insertedOrRefused(
    await management.store.insertDefinitions(
      plan.target,
      plan.definitions.map(({ draft }) => draft),
      'drop',
      modules.map(({ module, source, there }) => ({
        module,
        code: source.code,
        userId: author.caller.userId,
        replaces: there?.revision ?? null,
      })),
    ),
    'copy_conflict',
  );
  const copied = inserted.map(
    ({ definitionId, uri, method, version }, index): PlainMap =>
      new Map([
        ['definition_id', definitionId],
        ['source_definition_id', plan.definitions[index]?.source.definitionId ?? ''],
        ['uri', uri],
        ['method', method],
        ['version', version],
      ]),
  );
  return {
    status: 200,
    body: new Map<string, PlainValue>([
      ['copied', copied],
      ...(request.modules ? ([['modules', modules.map(({ module }) => module)]] as const) : []),
      ['warnings', warnings],
    ]),
    object: `${[...inserted.map(nameOf), ...modules.map(({ module }) => `module ${module}`)].join(', ')} to space ${plan.target.spaceId}`,
  };
}

function modulesDiffer({ to }: Promotion, replaced: readonly PromotedModule[]) {
  const problems = replaced.map(({ module }) => ({
    message: `the module ${JSON.stringify(module)} of the space ${to} differs, and overwrite is not set`,
    module,
  }));
  return apiError('copy_modules_differ', replaced.map(({ module }) => module).join(', ')).withLists({ problems });
}

/** Definitions of the target that load what is replaced are told of. */
async function concerned({ store }: Management, { target }: Promotion, replaced: readonly PromotedModule[]): Promise<readonly string[]> {
  const told = await Promise.all(
    replaced.map(async ({ module }) => {
      const loading = await definitionsLoading(store, target, module);
      return loading.length === 0
        ? []
        : [`the module ${JSON.stringify(module)} was replaced, which ${loading.map(nameOf).join(', ')} loaded`];
    }),
  );
  return told.flat();
}
