/** What the compilers of loops and operators use of the emitter. */
import type { Node } from '../syntax/ast.ts';
import type { Code } from '../values/run.ts';

export interface EmitContext {
  emit(node: Node): Code;
}
