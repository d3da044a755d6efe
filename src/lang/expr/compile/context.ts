/** Interface of the emitter for the compilers of loops and operators. */
import type { Node } from '../syntax/ast.ts';
import type { Code } from '../values/run.ts';

export interface EmitContext {
  emit(node: Node): Code;
}
