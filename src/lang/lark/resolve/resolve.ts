/**
 * Resolves every name of a file to a slot, and checks what the grammar cannot: where a statement is
 * allowed and what may be assigned to. Annotates the tree; runs nothing.
 */
import type { Source } from '../../source.ts';
import type { Expression, FunctionNode, LarkNameNode, LarkStatement, LoadStatement } from '../syntax/ast.ts';
import type { LarkDialect } from '../syntax/options.ts';
import { checkArguments, checkParameters } from '../syntax/parameters.ts';
import { type Binding, FunctionScope, ScopeBlock } from '../syntax/scope.ts';
import { MAX_PROBLEMS, SyntaxProblem } from '../syntax/syntax-problem.ts';
import { nearest } from '../values/text/spell.ts';

export interface Names {
  readonly predeclared: ReadonlySet<string>;
  readonly universal: ReadonlySet<string>;
}

export interface ResolvedFile {
  readonly scope: FunctionScope;
  /** Globals that other files may load, in order of first binding. */
  readonly globals: readonly Binding[];
  readonly predeclared: readonly Binding[];
  /** Number of slots of the file, including slot 0. */
  readonly size: number;
  readonly modules: readonly string[];
  readonly problems: readonly SyntaxProblem[];
}

/** Names of nodes that cannot be assigned to, for messages. */
const UNASSIGNABLE: Readonly<Record<string, string>> = {
  literal: 'literal',
  dict: 'dictexpr',
  comprehension: 'comprehension',
  conditional: 'condexpr',
  unary: 'unaryexpr',
  binary: 'binaryexpr',
  call: 'callexpr',
  slice: 'sliceexpr',
  function: 'lambdaexpr',
};

export function resolveFile(source: Source, statements: readonly LarkStatement[], names: Names, dialect: LarkDialect): ResolvedFile {
  const resolver = new Resolver(source, names, dialect);
  return resolver.file(statements);
}

/**
 * Assigns the slots of the file as they are needed: globals, loaded names, comprehension variables,
 * predeclared values.
 */
class FileScope extends FunctionScope {
  #next = 1;

  constructor() {
    super(undefined);
  }

  add(name: string, at: number, kind: 'global' | 'file' | 'predeclared'): Binding {
    return { name, kind, at, slot: this.#next++, owner: undefined, captured: false };
  }

  override addLocal(name: string, at: number): Binding {
    const binding: Binding = { name, kind: 'local', at, slot: this.#next++, owner: this, captured: false };
    this.locals.push(binding);
    return binding;
  }

  override get size(): number {
    return this.#next;
  }
}

class Resolver {
  readonly #source: Source;
  readonly #names: Names;
  readonly #dialect: LarkDialect;
  readonly #problems: SyntaxProblem[] = [];
  readonly #scope = new FileScope();
  readonly #file = new ScopeBlock(undefined, this.#scope);
  readonly #globals = new Map<string, Binding>();
  readonly #predeclared = new Map<string, Binding>();
  readonly #universal = new Map<string, Binding>();
  readonly #modules = new Set<string>();
  readonly #uses: { readonly node: LarkNameNode; readonly block: ScopeBlock }[] = [];
  #block = this.#file;
  #loops = 0;
  #conditionals = 0;

  constructor(source: Source, names: Names, dialect: LarkDialect) {
    this.#source = source;
    this.#names = names;
    this.#dialect = dialect;
  }

  file(statements: readonly LarkStatement[]): ResolvedFile {
    this.#statements(statements);
    for (const { node, block } of this.#uses) this.#settle(node, block);
    return {
      scope: this.#scope,
      globals: [...this.#globals.values()],
      predeclared: [...this.#predeclared.values()],
      size: this.#scope.size,
      modules: [...this.#modules],
      problems: this.#problems.sort((a, b) => a.at - b.at),
    };
  }

  readonly #report = (at: number, message: string): void => {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(new SyntaxProblem(at, message));
  };

  get #inFunction(): boolean {
    return this.#block.scope !== this.#scope;
  }

  #statements(statements: readonly LarkStatement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: LarkStatement): void {
    switch (statement.kind) {
      case 'expression':
        this.#expression(statement.value);
        return;
      case 'assign':
        this.#expression(statement.value);
        this.#assign(statement.target, statement.op !== '=');
        return;
      case 'def':
        this.#bind(statement.target);
        this.#function(statement.fn);
        return;
      case 'return':
        if (!this.#inFunction) this.#report(statement.at, 'return statement not within a function');
        if (statement.value !== undefined) this.#expression(statement.value);
        return;
      case 'load':
        this.#load(statement);
        return;
      case 'if':
        if (!this.#controlAllowed) this.#report(statement.at, 'if statement not within a function');
        for (const arm of statement.arms) {
          this.#expression(arm.condition);
          this.#conditional(arm.body);
        }
        this.#conditional(statement.otherwise);
        return;
      case 'for':
        if (!this.#controlAllowed) this.#report(statement.at, 'for loop not within a function');
        this.#expression(statement.over);
        this.#assign(statement.target, false);
        this.#loop(statement.body);
        return;
      case 'while':
        if (!this.#dialect.while) this.#report(statement.at, 'dialect does not support while loops');
        if (!this.#controlAllowed) this.#report(statement.at, 'while loop not within a function');
        this.#expression(statement.condition);
        this.#loop(statement.body);
        return;
      case 'break':
      case 'continue':
        if (this.#loops === 0) this.#report(statement.at, `${statement.kind} not in a loop`);
        return;
      case 'pass':
        return;
    }
  }

  get #controlAllowed(): boolean {
    return this.#dialect.topLevelControl || this.#inFunction;
  }

  #conditional(body: readonly LarkStatement[]): void {
    this.#conditionals++;
    this.#statements(body);
    this.#conditionals--;
  }

  #loop(body: readonly LarkStatement[]): void {
    this.#loops++;
    this.#statements(body);
    this.#loops--;
  }

  #load(load: LoadStatement): void {
    if (this.#inFunction) this.#report(load.at, 'load statement within a function');
    else if (this.#loops > 0) this.#report(load.at, 'load statement within a loop');
    else if (this.#conditionals > 0) this.#report(load.at, 'load statement within a conditional');
    this.#modules.add(load.module);
    for (const item of load.items) {
      if (item.from === '') this.#report(item.at, 'load: empty identifier');
      else if (item.from.startsWith('_')) this.#report(item.at, `load: names with leading underscores are not exported: ${item.from}`);
      if (this.#dialect.loadBindsGlobally) this.#bind(item.target);
      else this.#bindLoaded(item.target);
    }
  }

  #bindLoaded(node: LarkNameNode): void {
    const earlier = this.#file.names.get(node.name);
    if (earlier !== undefined && !this.#dialect.globalReassign) this.#report(node.at, `cannot reassign top-level ${node.name}`);
    node.binding = earlier ?? this.#scope.add(node.name, node.at, 'file');
    this.#file.names.set(node.name, node.binding);
  }

  #assign(target: Expression, augmented: boolean): void {
    switch (target.kind) {
      case 'name':
        this.#bind(target);
        return;
      case 'index':
        this.#expression(target.object);
        this.#expression(target.key);
        return;
      case 'dot':
        this.#expression(target.object);
        return;
      case 'list':
      case 'tuple':
        if (augmented) this.#report(target.at, `can't use ${target.kind} expression in augmented assignment`);
        for (const item of target.items) this.#assign(item, augmented);
        return;
      default:
        this.#report(target.at, `can't assign to ${UNASSIGNABLE[target.kind] ?? target.kind}`);
    }
  }

  #bind(node: LarkNameNode): void {
    if (this.#block !== this.#file) {
      node.binding = this.#bindLocal(node.name, node.at);
      return;
    }
    const earlier = this.#file.names.get(node.name) ?? this.#globals.get(node.name);
    if (earlier === undefined) {
      node.binding = this.#scope.add(node.name, node.at, 'global');
      this.#globals.set(node.name, node.binding);
      return;
    }
    if (!this.#dialect.globalReassign) {
      const { line, column } = this.#source.position(earlier.at);
      const kind = earlier.kind === 'file' ? 'local' : 'global';
      this.#report(node.at, `cannot reassign ${kind} ${node.name} declared at ${this.#source.name}:${line}:${column}`);
    }
    node.binding = earlier;
  }

  #bindLocal(name: string, at: number): Binding {
    const earlier = this.#block.names.get(name);
    if (earlier !== undefined) return earlier;
    const binding = this.#block.scope.addLocal(name, at);
    this.#block.names.set(name, binding);
    return binding;
  }

  #function(fn: FunctionNode): void {
    for (const param of fn.params) if (param.fallback !== undefined) this.#expression(param.fallback);
    checkParameters(fn.params, this.#report);
    const scope = new FunctionScope(this.#block.scope);
    fn.scope = scope;
    const outer = { block: this.#block, loops: this.#loops };
    this.#block = new ScopeBlock(outer.block, scope);
    this.#loops = 0;
    for (const param of fn.params) {
      if (param.kind === 'bare-star') continue;
      if (this.#block.names.has(param.name)) this.#report(param.at, `duplicate parameter: ${param.name}`);
      param.binding = this.#bindLocal(param.name, param.at);
    }
    this.#statements(fn.body);
    this.#block = outer.block;
    this.#loops = outer.loops;
  }

  #expressions(list: readonly Expression[]): void {
    for (const item of list) this.#expression(item);
  }

  #expression(node: Expression): void {
    switch (node.kind) {
      case 'name':
        this.#use(node);
        return;
      case 'literal':
        return;
      case 'list':
      case 'tuple':
        this.#expressions(node.items);
        return;
      case 'dict':
        for (const entry of node.entries) this.#expressions([entry.key, entry.value]);
        return;
      case 'conditional':
        this.#expressions([node.condition, node.then, node.otherwise]);
        return;
      case 'unary':
        this.#expression(node.operand);
        return;
      case 'binary':
        this.#expressions([node.left, node.right]);
        return;
      case 'dot':
        this.#expression(node.object);
        return;
      case 'index':
        this.#expressions([node.object, node.key]);
        return;
      case 'slice':
        this.#expressions([node.object, node.low, node.high, node.step].filter((part) => part !== undefined));
        return;
      case 'call':
        this.#expression(node.callee);
        checkArguments(node.args, this.#report);
        this.#expressions(node.args.map((arg) => arg.value));
        return;
      case 'function':
        this.#function(node);
        return;
      case 'comprehension':
        this.#comprehension(node);
        return;
    }
  }

  /**
   * The first operand is resolved in the enclosing block, everything else in the block of the
   * comprehension.
   */
  #comprehension(node: Extract<Expression, { kind: 'comprehension' }>): void {
    this.#expression(node.clauses[0].over);
    const outer = this.#block;
    this.#block = new ScopeBlock(outer, outer.scope);
    for (const clause of node.clauses) {
      if (clause.kind === 'if') {
        this.#expression(clause.condition);
        continue;
      }
      if (clause !== node.clauses[0]) this.#expression(clause.over);
      this.#assign(clause.target, false);
    }
    if (node.entry !== undefined) this.#expressions([node.entry.key, node.entry.value]);
    if (node.body !== undefined) this.#expression(node.body);
    this.#block = outer;
  }

  /** With reassignable globals, top-level code sees only names bound above it. */
  #use(node: LarkNameNode): void {
    if (this.#dialect.globalReassign && this.#block === this.#file) this.#settle(node, this.#file);
    else this.#uses.push({ node, block: this.#block });
  }

  #settle(node: LarkNameNode, from: ScopeBlock): void {
    for (let block: ScopeBlock | undefined = from; block !== undefined && block !== this.#file; block = block.parent) {
      const binding = block.names.get(node.name);
      if (binding === undefined) continue;
      from.scope.capture(binding);
      node.binding = binding;
      return;
    }
    node.binding = this.#ofFile(node.name) ?? this.#ofHost(node.name);
    if (node.binding !== undefined) return;
    // Suggesting a similar name is slow if there are many names, so it is skipped for problems that
    // are not reported.
    const meant = this.#problems.length < MAX_PROBLEMS ? nearest(node.name, this.#visibleFrom(from)) : undefined;
    this.#report(node.at, `undefined: ${node.name}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
  }

  #ofFile(name: string): Binding | undefined {
    return this.#file.names.get(name) ?? this.#globals.get(name);
  }

  #ofHost(name: string): Binding | undefined {
    const kind = this.#names.predeclared.has(name) ? 'predeclared' : this.#names.universal.has(name) ? 'universal' : undefined;
    if (kind === undefined || (name === 'set' && kind === 'universal' && !this.#dialect.set)) return undefined;
    const known = kind === 'predeclared' ? this.#predeclared : this.#universal;
    const earlier = known.get(name);
    if (earlier !== undefined) return earlier;
    const binding: Binding =
      kind === 'predeclared' ? this.#scope.add(name, 0, 'predeclared') : { name, kind, at: 0, slot: 0, owner: undefined, captured: false };
    known.set(name, binding);
    return binding;
  }

  *#visibleFrom(from: ScopeBlock): Generator<string> {
    for (let block: ScopeBlock | undefined = from; block !== undefined; block = block.parent) yield* block.names.keys();
    yield* this.#globals.keys();
    yield* this.#names.predeclared;
    yield* this.#names.universal;
  }
}
