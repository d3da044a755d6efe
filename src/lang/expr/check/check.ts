/**
 * Type checker: finds unknown names, mismatched operands and invalid arguments before the run, and
 * annotates the nodes. Checks only what the reference checks.
 */
import type {
  BuiltinNode,
  ExprCallNode,
  ExprConditionalNode,
  ExprNameNode,
  ExprSliceNode,
  LetNode,
  MemberNode,
  Node,
  PointerNode,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/lex.ts';
import {
  ARRAY,
  arrayOf,
  BOOL,
  BYTES,
  type Callable,
  deref,
  describe,
  elemOf,
  FLOAT,
  functionNature,
  INT,
  isArray,
  isAssignable,
  isBool,
  isInteger,
  isNil,
  isUnknown,
  MAP,
  type Nature,
  NIL,
  STRING,
  UNKNOWN,
} from '../types/nature.ts';
import { builtinNature, isBuiltin } from '../types/signatures.ts';
import { methodNature } from '../values/time-methods.ts';
import { argumentProblem } from './arguments.ts';
import { checkBuiltin } from './builtin.ts';
import type { CheckContext } from './context.ts';
import { binaryNature, unaryNature } from './operator.ts';

interface Scope {
  readonly collection: Nature;
  /** Natures of `#index` and `#acc` where they exist. */
  readonly pointers: ReadonlyMap<string, Nature>;
}

export class Checker implements CheckContext {
  /** Names of the environment; `undefined` if they are not known before the run. */
  readonly #names: ReadonlySet<string> | undefined;
  /** Names of the environment that the expression reads. */
  readonly uses = new Set<string>();
  readonly #variables: { readonly name: string; readonly nature: Nature }[] = [];
  readonly #scopes: Scope[] = [];

  constructor(names: readonly string[] | undefined) {
    this.#names = names === undefined ? undefined : new Set(names);
  }

  fail(node: Node, message: string): never {
    throw new SyntaxFault(node.at, message);
  }

  visit(node: Node): Nature {
    const nature = this.#natureOf(node);
    node.nature = nature;
    return nature;
  }

  #natureOf(node: Node): Nature {
    switch (node.kind) {
      case 'nil':
        return NIL;
      case 'name':
        return this.#name(node);
      case 'int':
        return INT;
      case 'float':
        return FLOAT;
      case 'bool':
        return BOOL;
      case 'string':
        return STRING;
      case 'bytes':
        return BYTES;
      case 'constant':
        return node.nature;
      case 'unary':
        return unaryNature(this, node);
      case 'binary':
        return binaryNature(this, node);
      case 'chain':
        return this.visit(node.body);
      case 'member':
        return this.#member(node);
      case 'slice':
        return this.#slice(node);
      case 'call':
        return this.#call(node);
      case 'builtin':
        return checkBuiltin(this, node);
      case 'predicate':
        return this.#predicate(node.body);
      case 'pointer':
        return this.#pointer(node);
      case 'let':
        return this.#let(node);
      case 'sequence':
        return node.items.map((item) => this.visit(item)).at(-1) ?? UNKNOWN;
      case 'conditional':
        return this.#conditional(node);
      case 'array':
        return this.#array(node.items);
      case 'map':
        for (const item of node.pairs.flat()) this.visit(item);
        return MAP;
    }
  }

  #name(node: ExprNameNode): Nature {
    const variable = this.#variables.findLast(({ name }) => name === node.name);
    if (variable !== undefined) return variable.nature;
    if (node.name === '$env') {
      this.#useAll();
      return UNKNOWN;
    }
    return this.useName(node, node.name, 'or builtin');
  }

  #useAll(): void {
    for (const name of this.#names ?? []) this.uses.add(name);
  }

  /** Looks up a name of the environment. A builtin that is named but not called has no value. */
  useName(node: Node, name: string, builtins: 'or builtin' | 'environment only' | 'if there'): Nature {
    this.uses.add(name);
    if (this.#names?.has(name)) return UNKNOWN;
    if (builtins === 'or builtin' && isBuiltin(name)) {
      if (this.#names !== undefined) this.fail(node, `${name} is a function and has to be called`);
      return builtinNature(name);
    }
    if (this.#names !== undefined && builtins !== 'if there') this.fail(node, `the name ${name} is not known`);
    return UNKNOWN;
  }

  #member(node: MemberNode): Nature {
    const name = node.property.kind === 'string' ? node.property.value : undefined;
    if (node.base.kind === 'name' && node.base.name === '$env') {
      if (name === undefined) {
        this.#useAll();
        this.#visitForNames(node.property);
        return UNKNOWN;
      }
      return this.useName(node, name, node.optional ? 'if there' : 'environment only');
    }
    const base = this.visit(node.base);
    const property = this.visit(node.property);
    if (isUnknown(base)) return UNKNOWN;
    if (name !== undefined) {
      if (isNil(base)) this.fail(node, `nil has no field ${name}`);
      const method = methodNature(base, name);
      if (method !== undefined) return method;
    }
    if (base.kind === 'map') {
      if (!isAssignable(property, base.key ?? UNKNOWN) && !isUnknown(property))
        this.fail(node.property, `${describe(property)} is no key of a ${describe(base)}`);
      return elemOf(base);
    }
    if (isArray(base)) {
      const index = deref(property);
      if (!isInteger(index) && !isUnknown(index))
        this.fail(node.property, `the elements of an array are chosen by an int, not by ${describe(index)}`);
      return elemOf(base);
    }
    return this.fail(node, name === undefined ? `${describe(base)} has no elements` : `${describe(base)} has no field or method ${name}`);
  }

  /**
   * Arguments of an unknown callee are not type-checked, but they are visited to find unknown names
   * if the environment is declared.
   */
  #visitForNames(node: Node): void {
    if (this.#names !== undefined) this.visit(node);
  }

  #slice(node: ExprSliceNode): Nature {
    const nature = this.visit(node.base);
    const bounds = [node.from, node.to].filter((bound) => bound !== undefined);
    if (isUnknown(nature)) {
      for (const bound of bounds) this.#visitForNames(bound);
      return UNKNOWN;
    }
    if (nature.kind !== 'string' && !isArray(nature)) this.fail(node, `${describe(nature)} cannot be sliced`);
    for (const bound of bounds) {
      const boundNature = deref(this.visit(bound));
      if (!isInteger(boundNature) && !isUnknown(boundNature))
        this.fail(bound, `the bound of a slice is an int, not ${describe(boundNature)}`);
    }
    return nature;
  }

  #call(node: ExprCallNode): Nature {
    if (node.callee.kind === 'name' && node.callee.name === '$env') this.fail(node, '$env cannot be called');
    const nature = this.visit(node.callee);
    if (isUnknown(nature)) {
      for (const arg of node.args) this.#visitForNames(arg);
      return UNKNOWN;
    }
    const { callable } = nature;
    if (callable === undefined) return this.fail(node, `${describe(nature)} cannot be called`);
    return callable.builtin === undefined ? this.checkArguments(node, callable, node.args) : this.#calledBuiltin(node, callable.builtin);
  }

  /** A builtin called through a variable. It fails at run time; its arguments are checked now. */
  #calledBuiltin(node: ExprCallNode, name: string): Nature {
    const call: BuiltinNode = { kind: 'builtin', name, args: node.args, at: node.at, depth: node.depth, nature: UNKNOWN };
    return checkBuiltin(this, call);
  }

  checkArguments(node: Node, callable: Callable, args: readonly Node[]): Nature {
    const natures = args.map((arg) => this.visit(arg));
    const wrong = argumentProblem(node, callable, args, natures);
    if (wrong !== undefined) this.fail(wrong.node, wrong.message);
    return callable.result ?? UNKNOWN;
  }

  #predicate(body: Node): Nature {
    const nature = this.visit(body);
    return functionNature('predicate', { name: 'predicate', params: [], result: isNil(nature) ? undefined : nature });
  }

  inPredicate(collection: Nature, pointers: readonly (readonly [string, Nature])[], predicate: Node): Nature | undefined {
    this.#scopes.push({ collection, pointers: new Map(pointers) });
    const nature = this.visit(predicate);
    this.#scopes.pop();
    return nature.callable?.result;
  }

  #pointer(node: PointerNode): Nature {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) return this.fail(node, '# stands only in predicates');
    if (node.name === '') return isUnknown(scope.collection) ? UNKNOWN : elemOf(scope.collection);
    return scope.pointers.get(node.name) ?? this.fail(node, `there is no #${node.name} here`);
  }

  #let(node: LetNode): Nature {
    if (this.#names?.has(node.name)) this.fail(node, `${node.name} is a name of the environment already`);
    if (isBuiltin(node.name)) this.fail(node, `${node.name} is the name of a builtin already`);
    if (this.#variables.some(({ name }) => name === node.name)) this.fail(node, `the variable ${node.name} is declared already`);
    this.#variables.push({ name: node.name, nature: this.visit(node.value) });
    const nature = this.visit(node.body);
    this.#variables.pop();
    return nature;
  }

  #conditional(node: ExprConditionalNode): Nature {
    const test = deref(this.visit(node.test));
    if (!isBool(test) && !isUnknown(test)) this.fail(node.test, `a condition is a bool, not ${describe(test)}`);
    const yes = this.visit(node.yes);
    const no = this.visit(node.no);
    if (isNil(yes)) return no;
    if (isNil(no)) return yes;
    if (!isAssignable(yes, no)) return UNKNOWN;
    if (isArray(yes) && isArray(no)) {
      const [a, b] = [elemOf(yes), elemOf(no)];
      if (!isAssignable(a, b) || !isAssignable(b, a)) return ARRAY;
    }
    return yes;
  }

  /**
   * Nature of a list literal: typed if all elements have one kind. Unknown and nil count as one
   * kind, as in the reference.
   */
  #array(items: readonly Node[]): Nature {
    const natures = items.map((item) => this.visit(item));
    const last = natures.at(-1) ?? UNKNOWN;
    return natures.every((nature) => nature.kind === last.kind) ? arrayOf(last) : ARRAY;
  }
}
