/**
 * Binds a step's slots with the types of its declared inputs. If the server rejects the statement
 * with them (a function may take a smaller integer), it infers the types of integers, then of all.
 */
import type { Engine } from '../../engines/contract/engine.ts';
import type { BoundStatement } from '../../sql/dialect.ts';
import type { Template } from '../../sql/template/template.ts';
import type { Resolve, SlotType, TemplateBinder } from '../../sql/template/template-binder.ts';

const MODES: readonly ((type: SlotType) => boolean)[] = [() => true, (type) => !type.startsWith('integer'), () => false];

/** Declared types of slots, by path. */
export type TypedSlots = ReadonlyMap<string, SlotType>;

export class TypedStepBinder {
  readonly #engine: Engine;
  readonly #template: Template;
  readonly #types: TypedSlots;
  /** The modes that differ for these types, the strictest first. */
  readonly #modes: readonly number[];
  readonly #binders = new Map<string, TemplateBinder>();
  #at = 0;

  constructor(engine: Engine, template: Template, types: TypedSlots) {
    this.#engine = engine;
    this.#template = template;
    const typed = template.slots.filter(({ isOperand, path }) => isOperand && types.has(path.text));
    this.#types = new Map(typed.map(({ path }) => [path.text, types.get(path.text) as SlotType]));
    this.#modes = MODES.map((_, mode) => mode).filter((mode) => mode === 0 || this.#countIn(mode) < this.#countIn(mode - 1));
  }

  /** Paths whose declared type matters. */
  get typedPaths(): Iterable<string> {
    return this.#types.keys();
  }

  /** The current mode. Pass it to `relax` if the statement fails. */
  get mode(): number {
    return this.#at;
  }

  /** `hidden`: paths whose values are not those of inputs. */
  bind(resolve: Resolve, hidden: readonly string[] = []): BoundStatement {
    const mode = this.#modes[this.#at] as number;
    const key = `${mode} ${hidden.join(' ')}`;
    const known = this.#binders.get(key);
    if (known !== undefined) return known.bind(resolve);
    const binder = this.#engine.templateBinder(this.#template, ({ text }) => {
      const type = hidden.includes(text) ? undefined : this.#types.get(text);
      return type !== undefined && MODES[mode]?.(type) === true ? type : undefined;
    });
    this.#binders.set(key, binder);
    return binder.bind(resolve);
  }

  /**
   * Returns whether the statement is worth another attempt. After the last mode the first one is
   * used again, because the types were not the reason.
   */
  relax(failed: number): boolean {
    if (failed === this.#at) this.#at = (this.#at + 1) % this.#modes.length;
    return this.#at > failed;
  }

  #countIn(mode: number): number {
    return [...this.#types.values()].filter((type) => MODES[mode]?.(type)).length;
  }
}
