/** Compares links with the apps of the space. A missing app may follow, so it is a warning. */
import type { AppNeed } from '../document/app-document.ts';
import type { TargetSpace } from './space.ts';

/** Names of the inputs of apps that are stored together with the linking one. */
export type NewApps = ReadonlyMap<string, ReadonlySet<string>>;

export async function checkLink({ app, inputs }: AppNeed, space: TargetSpace, arriving: NewApps): Promise<void> {
  const known = arriving.get(app.value) ?? (await inputsOf(app.value, space));
  if (known === undefined) {
    space.warnings.add(`${app.path} links to the app ${app.value}, which does not exist yet.`);
    return;
  }
  for (const input of inputs)
    if (!known.has(input.value)) space.warnings.add(`${input.path} is an input that the app ${app.value} does not have.`);
}

async function inputsOf(app: string, { parts }: TargetSpace): Promise<ReadonlySet<string> | undefined> {
  const record = await parts.store.app(parts.scope, app);
  if (record === undefined) return undefined;
  const { inputs = {} } = JSON.parse(record.document) as { inputs?: object };
  return new Set(Object.keys(inputs));
}
