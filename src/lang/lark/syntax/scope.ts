/**
 * What a name means where it is used: one binding object per variable, shared by all its uses.
 * Knows no values; the compiler turns a binding into a place in a frame.
 */
export interface Binding {
  readonly name: string;
  /**
   * local: a slot of the frame of its function (the file's own code has a frame too);
   * global: a slot of the file's globals; file: the same, bound by `load` and not exported;
   * predeclared: a value given by the host for each run; universal: a builtin, the same in every run.
   */
  readonly kind: 'local' | 'global' | 'file' | 'predeclared' | 'universal';
  /** Where it was first bound. */
  readonly at: number;
  /** In the frame of its own function, or among the slots of the file. */
  readonly slot: number;
  /** Which function owns the local; undefined for what belongs to the file. */
  readonly owner: FunctionScope | undefined;
  /** A local that an inner function uses lives in a cell. */
  captured: boolean;
}

/** The frame of one function while it is resolved: slot 0 is taken by the globals. */
export class FunctionScope {
  readonly parent: FunctionScope | undefined;
  readonly locals: Binding[] = [];
  /** Variables of enclosing functions that this one uses; their cells come after the locals. */
  readonly free: Binding[] = [];

  constructor(parent: FunctionScope | undefined) {
    this.parent = parent;
  }

  addLocal(name: string, at: number): Binding {
    const binding: Binding = { name, kind: 'local', at, slot: this.locals.length + 1, owner: this, captured: false };
    this.locals.push(binding);
    return binding;
  }

  /** Makes a variable of an enclosing function reachable from here, through every function in between. */
  capture(binding: Binding): void {
    if (binding.owner === this || this.free.includes(binding)) return;
    binding.captured = true;
    this.free.push(binding);
    this.parent?.capture(binding);
  }

  get size(): number {
    return 1 + this.locals.length + this.free.length;
  }

  /** Where this function finds a local, its own or a captured one. */
  slotOf(binding: Binding): number {
    return binding.owner === this ? binding.slot : 1 + this.locals.length + this.free.indexOf(binding);
  }
}

/** A lexical block: the file, a function or a comprehension. */
export class ScopeBlock {
  readonly parent: ScopeBlock | undefined;
  readonly scope: FunctionScope;
  readonly names = new Map<string, Binding>();

  constructor(parent: ScopeBlock | undefined, scope: FunctionScope) {
    this.parent = parent;
    this.scope = scope;
  }
}
