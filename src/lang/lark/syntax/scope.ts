/**
 * Bindings of names: one object per variable, shared by all its uses. The compiler maps a binding
 * to a slot of a frame.
 */
export interface Binding {
  readonly name: string;
  /**
   * local: a slot of the function's frame (top-level code has a frame too).
   * global: a slot of the file's globals. file: the same, bound by `load` and not exported.
   * predeclared: a value that the host provides for each run. universal: a builtin, the same in
   * every run.
   */
  readonly kind: 'local' | 'global' | 'file' | 'predeclared' | 'universal';
  /** Offset of its first binding. */
  readonly at: number;
  /** Slot in the frame of its function, or among the slots of the file. */
  readonly slot: number;
  /** Function that owns the local; `undefined` for a variable of the file. */
  readonly owner: FunctionScope | undefined;
  /** `true` if an inner function uses the local, which is then stored in a cell. */
  captured: boolean;
}

/** Frame layout of one function during resolution. Slot 0 is taken by the globals. */
export class FunctionScope {
  readonly parent: FunctionScope | undefined;
  readonly locals: Binding[] = [];
  /** Variables of enclosing functions that this one uses; their cells follow the locals. */
  readonly free: Binding[] = [];

  constructor(parent: FunctionScope | undefined) {
    this.parent = parent;
  }

  addLocal(name: string, at: number): Binding {
    const binding: Binding = { name, kind: 'local', at, slot: this.locals.length + 1, owner: this, captured: false };
    this.locals.push(binding);
    return binding;
  }

  /** Captures a variable of an enclosing function, through every function in between. */
  capture(binding: Binding): void {
    if (binding.owner === this || this.free.includes(binding)) return;
    binding.captured = true;
    this.free.push(binding);
    this.parent?.capture(binding);
  }

  get size(): number {
    return 1 + this.locals.length + this.free.length;
  }

  /** Slot of a local in this function, whether its own or captured. */
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
