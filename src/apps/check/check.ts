/** Compares an app with a space. Returns problems for everything that the space lacks. */
import type { Need } from '../document/app-document.ts';
import type { AppProblem, Spot } from '../document/problems.ts';
import { checkLink, type NewApps } from './apps.ts';
import { checkEndpoint } from './endpoints.ts';
import { type SpaceParts, TargetSpace } from './space.ts';
import { checkTable, type Refuse } from './tables.ts';
import { checkWrite } from './writes.ts';

export interface SpaceReport {
  readonly refused: readonly AppProblem[];
  readonly warnings: readonly string[];
}

type Checks = {
  readonly [K in Need['of']]: (need: Extract<Need, { of: K }>, space: TargetSpace, refuse: Refuse, arriving: NewApps) => Promise<void>;
};

const CHECKS: Checks = {
  table: checkTable,
  endpoint: checkEndpoint,
  write: checkWrite,
  app: (need, space, _, arriving) => checkLink(need, space, arriving),
};

/** `arriving`: apps that are stored together with this one, itself included. */
export async function checkNeeds(needs: readonly Need[], parts: SpaceParts, arriving: NewApps): Promise<SpaceReport> {
  const space = new TargetSpace(parts);
  const refused = new Map<string, AppProblem>();
  const refuse = ({ path, line, column }: Spot, message: string): void => {
    refused.set(`${path} ${message}`, { path, line, column, message });
  };
  for (const need of needs) await checkNeed(need, space, refuse, arriving);
  return { refused: [...refused.values()], warnings: [...space.warnings] };
}

function checkNeed<K extends Need['of']>(
  need: Extract<Need, { of: K }>,
  space: TargetSpace,
  refuse: Refuse,
  arriving: NewApps,
): Promise<void> {
  return (CHECKS[need.of as K] as Checks[K])(need, space, refuse, arriving);
}
