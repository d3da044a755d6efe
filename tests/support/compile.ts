// Compiles plans for tests of engines, with the rights of an unrestricted caller.

import { UNRESTRICTED } from '../../src/auto/plan/access.ts';
import { authorize } from '../../src/auto/plan/authorize.ts';
import * as compiler from '../../src/sql/compile/compile.ts';
import type { BoundStatement, Dialect } from '../../src/sql/dialect.ts';
import type { CountPlan, DeletePlan, SelectPlan, UpdatePlan } from '../../src/sql/plan.ts';

export const compileSelect = (plan: SelectPlan, dialect: Dialect): BoundStatement =>
  compiler.compileSelect(authorize(plan, UNRESTRICTED, 'read'), dialect);

export const compileCount = (plan: CountPlan, dialect: Dialect): BoundStatement =>
  compiler.compileCount(authorize(plan, UNRESTRICTED, 'read'), dialect);

export const compileUpdate = (plan: UpdatePlan, dialect: Dialect): BoundStatement =>
  compiler.compileUpdate(authorize(plan, UNRESTRICTED, 'update'), dialect);

export const compileDelete = (plan: DeletePlan, dialect: Dialect): BoundStatement =>
  compiler.compileDelete(authorize(plan, UNRESTRICTED, 'delete'), dialect);
