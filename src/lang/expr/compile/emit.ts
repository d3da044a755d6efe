/**
 * Compiles the tree to closures over the run. Closures call only the functions named here and in
 * the tables of this folder, so an expression cannot reach JavaScript.
 */

import { BUILTINS } from '../library/builtin.ts';
import { timeOfClock } from '../library/time.ts';
import type {
  BuiltinNode,
  ExprBinaryNode,
  ExprCallNode,
  ExprConditionalNode,
  ExprSliceNode,
  ExprUnaryNode,
  MapNode,
  MemberNode,
  Node,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/lex.ts';
import { argumentCounts, LAST_COUNTS, PREDICATE_ARGS } from '../types/signatures.ts';
import { fetch, slice } from '../values/access.ts';
import { negate } from '../values/number.ts';
import { type Code, chargeKept, itemOf, type Run } from '../values/run.ts';
import { callMethod } from '../values/time-methods.ts';
import { BoundMethod, type ExprValue, Fault, isNil, makeFloat, typeName, wantBool } from '../values/value.ts';
import type { EmitContext } from './context.ts';
import { emitLoop } from './loop.ts';
import { emitBinary } from './operator.ts';

/** Result of a link of a `?.` chain after a nil: skips the rest of the chain. */
const SKIP = Symbol('skip') as unknown as ExprValue;

export class Emitter implements EmitContext {
  /** Number of slots for `let` variables. */
  slots = 0;
  readonly #scope: { readonly name: string; readonly slot: number }[] = [];

  emit(node: Node): Code {
    switch (node.kind) {
      case 'nil':
        return () => null;
      case 'int':
      case 'bool':
      case 'string':
        return constant(node.value);
      case 'bytes':
      case 'constant':
        return constant(node.value);
      case 'float':
        return constant(makeFloat(node.value));
      case 'name':
        return this.#name(node.name);
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return emitBinary(this, node as ExprBinaryNode);
      case 'chain':
        return this.#chain(node.body);
      case 'member':
        return this.#member(node, 'outside');
      case 'slice':
        return this.#slice(node);
      case 'call':
        return this.#call(node, 'outside');
      case 'builtin':
        return this.#builtin(node);
      case 'predicate':
        return this.emit(node.body);
      case 'pointer':
        return pointer(node.name, node.at);
      case 'let':
        return this.#let(node.name, node.value, node.body);
      case 'sequence':
        return this.#sequence(node.items);
      case 'conditional':
        return this.#conditional(node);
      case 'array':
        return this.#array(node.items);
      case 'map':
        return this.#map(node);
    }
  }

  #name(name: string): Code {
    const slot = this.#scope.findLast((variable) => variable.name === name)?.slot;
    if (slot !== undefined) return (run) => run.locals[slot] ?? null;
    return name === '$env' ? (run) => run.whole() : (run) => run.lookUp(name);
  }

  #unary({ op, operand, at }: ExprUnaryNode): Code {
    const code = this.emit(operand);
    if (op === '+') return code;
    if (op === '-') {
      return (run) => {
        const value = code(run);
        run.at = at;
        return negate(value);
      };
    }
    return (run) => {
      const value = code(run);
      run.at = at;
      return !wantBool(value);
    };
  }

  #chain(body: Node): Code {
    const code = this.#link(body);
    return (run) => {
      const value = code(run);
      return value === SKIP || isNil(value) ? null : value;
    };
  }

  /** A link of a chain. Any other node starts the chain. */
  #link(node: Node): Code {
    if (node.kind === 'member') return this.#member(node, 'in chain');
    return node.kind === 'call' ? this.#call(node, 'in chain') : this.emit(node);
  }

  #member({ base, property, optional, at }: MemberNode, place: 'in chain' | 'outside'): Code {
    const from = place === 'in chain' ? this.#link(base) : this.emit(base);
    if (place === 'outside' && property.kind === 'string') return field(from, property.value, at);
    const key = this.emit(property);
    return (run) => {
      const value = from(run);
      if (value === SKIP || (optional && isNil(value))) return SKIP;
      const name = key(run);
      run.at = at;
      return fetch(value, name, run.budget);
    };
  }

  #slice({ base, from, to, at }: ExprSliceNode): Code {
    const whole = this.emit(base);
    const start = from && this.emit(from);
    const end = to && this.emit(to);
    return (run) => {
      const value = whole(run);
      const last = end?.(run);
      const first = start?.(run);
      run.at = at;
      return slice(value, first, last, run.budget);
    };
  }

  #call({ callee, args, at }: ExprCallNode, place: 'in chain' | 'outside'): Code {
    const argCodes = args.map((arg) => this.emit(arg));
    const target = place === 'in chain' ? this.#link(callee) : this.emit(callee);
    return (run) => {
      const values = argCodes.map((arg) => arg(run));
      const method = target(run);
      if (method === SKIP) return SKIP;
      run.at = at;
      if (!(method instanceof BoundMethod)) throw new Fault(`${typeName(method)} cannot be called`);
      return callMethod(method.receiver, method.name, values, run.budget);
    };
  }

  #builtin(node: BuiltinNode): Code {
    if (PREDICATE_ARGS.has(node.name)) return emitLoop(this, node);
    const { name, at } = node;
    if (name === 'now') return this.#now(node.args);
    const builtin = BUILTINS.get(name);
    const all = node.args.map((arg) => this.emit(arg));
    const args = LAST_COUNTS.has(name) ? all.slice(-1) : all;
    const [min, max] = argumentCounts(name);
    if (builtin === undefined || args.length < min || args.length > max)
      return failing(at, `${name} does not take ${args.length} arguments`);
    return (run) => {
      const values = args.map((arg) => arg(run));
      run.at = at;
      return builtin(values, run.budget);
    };
  }

  #now([zone]: readonly Node[]): Code {
    const code = zone && this.emit(zone);
    return (run) => timeOfClock(run.now, code?.(run));
  }

  #let(name: string, value: Node, body: Node): Code {
    const code = this.emit(value);
    const slot = this.slots++;
    this.#scope.push({ name, slot });
    const rest = this.emit(body);
    this.#scope.pop();
    return (run) => {
      run.locals[slot] = code(run);
      return rest(run);
    };
  }

  #sequence(items: readonly Node[]): Code {
    const codes = items.map((item) => this.emit(item));
    return (run) => {
      let last: ExprValue = null;
      for (const code of codes) last = code(run);
      return last;
    };
  }

  #conditional({ test, yes: whenTrue, no: whenFalse, at }: ExprConditionalNode): Code {
    const [condition, yes, no] = [this.emit(test), this.emit(whenTrue), this.emit(whenFalse)];
    return (run) => {
      const value = condition(run);
      if (value === true) return yes(run);
      if (value === false) return no(run);
      run.at = at;
      return wantBool(value);
    };
  }

  #array(items: readonly Node[]): Code {
    const codes = items.map((item) => this.emit(item));
    return (run) => {
      run.budget.charge(16);
      return codes.map((code) => {
        const item = code(run);
        chargeKept(run.budget, item);
        return item;
      });
    };
  }

  #map({ pairs, at }: MapNode): Code {
    const codes = pairs.map(([key, value]) => [this.emit(key), this.emit(value)] as const);
    return (run) => {
      run.budget.charge(codes.length * 48 + 48);
      const map = new Map<string, ExprValue>();
      for (const [key, value] of codes) {
        const name = key(run);
        const item = value(run);
        run.at = at;
        if (typeof name !== 'string') throw new Fault(`the key of a map is a string, not ${typeName(name)}`);
        chargeKept(run.budget, name);
        chargeKept(run.budget, item);
        // As in the reference, the first of two equal keys takes precedence.
        if (!map.has(name)) map.set(name, item);
      }
      return map;
    };
  }
}

function constant(value: ExprValue): Code {
  return () => value;
}

function failing(at: number, message: string): Code {
  return (run) => {
    run.at = at;
    throw new Fault(message);
  };
}

function field(from: Code, name: string, at: number): Code {
  return (run) => {
    const value = from(run);
    if (value instanceof Map) return value.get(name) ?? null;
    run.at = at;
    return fetch(value, name, run.budget);
  };
}

const POINTERS: Readonly<Record<string, (run: Run) => ExprValue>> = {
  '': itemOf,
  index: (run) => run.index,
  acc: (run) => run.acc,
};

function pointer(name: string, at: number): Code {
  const read = POINTERS[name];
  if (read === undefined) throw new SyntaxFault(at, `there is no #${name}`);
  return read;
}
