/** Compilers of steps by kind. */
import type { MaybePromise } from '../../util/concurrency/maybe-promise.ts';
import type { StepKindName, StepSource } from '../document/document-logic.ts';
import { compileExprStep } from './expr.ts';
import { compileLarkStep } from './lark.ts';
import { compileSql } from './sql.ts';
import type { Step, StepScope } from './step.ts';

export const STEPS: Readonly<Record<StepKindName, (source: StepSource, scope: StepScope) => MaybePromise<Step>>> = {
  sql: compileSql,
  lark: compileLarkStep,
  expr: compileExprStep,
};
