/**
 * Copies definitions, and on request their Lark modules, into another space of the project. Atomic.
 */
import { apiError } from '../../errors.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import { insertedOrThrow, type ManagementResult, nameOf } from './definitions.ts';
import type { Author, Management } from './management.ts';
import { definitionsLoading } from './modules.ts';
import { type PromotedModule, type Promotion, planPromotion } from './promotion-plan.ts';
import { parsePromotionRequest } from './promotion-request.ts';
import type { ValidateOptions } from './validate.ts';

export async function promote(
  management: Management,
  author: Author,
  body: PlainValue,
  options: ValidateOptions,
): Promise<ManagementResult> {
  const request = parsePromotionRequest(body, author, management.userIds);
  const plan = await planPromotion(management, author, request, options);
  const modules = request.modules ? plan.modules.filter(({ state }) => state !== 'same') : [];
  const replaced = modules.filter(({ state }) => state === 'changed');
  if (replaced.length > 0 && !request.overwrite) throw modulesDiffer(plan, replaced);
  if (plan.problems.length > 0 && !request.force)
    throw apiError('copy_refused', plan.problems.map(({ message }) => `${message}.`).join(' ')).withLists({ problems: plan.problems });
  const warnings = [
    ...plan.problems.map(({ message }) => message),
    ...plan.warnings,
    ...(await affectedDefinitions(management, plan, replaced)),
  ];
  const inserted = insertedOrThrow(
    await management.store.insertDefinitions(
      plan.target,
      plan.definitions.map(({ draft }) => draft),
      'drop',
      modules.map(({ module, source, existing }) => ({
        module,
        code: source.code,
        userId: author.caller.userId,
        replaces: existing?.revision ?? null,
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

/** Warnings about definitions of the target that load a replaced module. */
async function affectedDefinitions(
  { store }: Management,
  { target }: Promotion,
  replaced: readonly PromotedModule[],
): Promise<readonly string[]> {
  const warnings = await Promise.all(
    replaced.map(async ({ module }) => {
      const loading = await definitionsLoading(store, target, module);
      return loading.length === 0
        ? []
        : [`the module ${JSON.stringify(module)} was replaced, which ${loading.map(nameOf).join(', ')} loaded`];
    }),
  );
  return warnings.flat();
}
