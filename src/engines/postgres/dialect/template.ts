/**
 * Binds the parameters of a step's SQL. Parameters are text of the declared type, or of a type that
 * the server infers, so one SQL text serves all values. `IN (?:list)` becomes a comparison with an
 * array, which works for lists of any length.
 */

import type { BoundStatement } from '../../../sql/dialect.ts';
import type { ParamType, ParamValue, Statement } from '../../../sql/statement.ts';
import type { Template, TemplatePart, TemplateSlot } from '../../../sql/template/template.ts';
import { BindProblem, type Resolve, type SlotType, type SlotTypes, type TemplateBinder } from '../../../sql/template/template-binder.ts';
import { writeJson } from '../../../util/json/json.ts';
import { Decimal, type PlainValue } from '../../../util/text/decimal.ts';

const TEXT: ParamType = { kind: 'text', cast: 'text' };

const NO_TYPES: SlotTypes = () => undefined;

export function postgresBinder(template: Template, types: SlotTypes = NO_TYPES): TemplateBinder {
  const isFixed = !template.parts.some((part) => part.kind === 'slot' && part.slot.place === 'listed');
  return isFixed ? new FixedBinder(template, types) : { bind: (resolve) => new Text(template, types, resolve).bound() };
}

const TYPE_NAMES: Readonly<Record<SlotType, string>> = {
  integer: 'int8',
  number: 'numeric',
  boolean: 'bool',
  date: 'date',
  timestamp: 'timestamptz',
  uuid: 'uuid',
  'integer[]': 'int8[]',
  'number[]': 'numeric[]',
  'boolean[]': 'bool[]',
  'date[]': 'date[]',
  'timestamp[]': 'timestamptz[]',
  'uuid[]': 'uuid[]',
};

/** Binder of a template whose SQL text does not depend on the values. */
class FixedBinder implements TemplateBinder {
  readonly #statement: Statement;
  readonly #values: readonly ((resolve: Resolve) => ParamValue)[];

  constructor(template: Template, types: SlotTypes) {
    const text = new Text(template, types, () => null);
    this.#statement = text.bound().statement;
    this.#values = text.readers;
  }

  bind(resolve: Resolve): BoundStatement {
    const params = new Array<ParamValue>(this.#values.length);
    for (let i = 0; i < params.length; i++) params[i] = (this.#values[i] as (resolve: Resolve) => ParamValue)(resolve);
    return { statement: this.#statement, params };
  }
}

class Text {
  readonly readers: ((resolve: Resolve) => ParamValue)[] = [];
  readonly #template: Template;
  readonly #types: SlotTypes;
  readonly #resolve: Resolve;

  constructor(template: Template, types: SlotTypes, resolve: Resolve) {
    this.#template = template;
    this.#types = types;
    this.#resolve = resolve;
  }

  bound(): BoundStatement {
    const text = this.#template.parts.map((part) => this.#part(part)).join('');
    const params = this.readers.map((read) => read(this.#resolve));
    return { statement: { text, types: params.map(() => TEXT) }, params };
  }

  #part(part: TemplatePart): string {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'in':
        return `${part.negated ? '<> ALL' : '= ANY'} (${this.#add(part.slot, (value) => arrayText(Array.isArray(value) ? value : [value], value))})`;
      case 'joined': {
        const pieces = part.pieces.map((piece) => (typeof piece === 'string' ? piece : `${this.#add(piece, pieceText(piece))}::text`));
        return cast(`(${pieces.join(' || ')})`, part.cast);
      }
      case 'slot':
        // A test for NULL gives the server no type to infer, so the value is declared as text.
        if (part.slot.place === 'null_test') return `${this.#add(part.slot, scalarText)}::text`;
        return cast(part.slot.place === 'listed' ? this.#listed(part.slot) : this.#typed(part.slot), part.cast);
    }
  }

  /**
   * Without a type, the server would take a number beside an integer as an integer, and a value
   * alone as a text.
   */
  #typed(slot: TemplateSlot): string {
    const type = slot.isOperand ? this.#types(slot.path) : undefined;
    const isList = type?.endsWith('[]') === true;
    return cast(this.#add(slot, readerOf(slot)), type === undefined || isList !== (slot.place === 'array') ? undefined : TYPE_NAMES[type]);
  }

  #add(slot: TemplateSlot, toText: (value: PlainValue) => ParamValue): string {
    this.readers.push((resolve) => toText(resolve(slot.path)));
    return `$${this.readers.length}`;
  }

  /** Expands a list among other values. An empty list matches nothing. */
  #listed(slot: TemplateSlot): string {
    const value = this.#resolve(slot.path);
    if (!Array.isArray(value)) return this.#add(slot, scalarText);
    if (value.length === 0) return 'NULL';
    return value
      .map((item: PlainValue) => {
        this.readers.push(() => scalarText(item));
        return `$${this.readers.length}`;
      })
      .join(', ');
  }
}

function cast(text: string, type: string | undefined): string {
  return type === undefined ? text : `CAST(${text} AS ${type})`;
}

function readerOf(slot: TemplateSlot): (value: PlainValue) => ParamValue {
  if (slot.place === 'array') return (value) => (Array.isArray(value) ? arrayText(value, value) : scalarText(value));
  return scalarText;
}

function pieceText(slot: TemplateSlot): (value: PlainValue) => ParamValue {
  return (value) => {
    if (Array.isArray(value) || value instanceof Map)
      throw new BindProblem(slot.path, 'is used inside a literal and must be a single value');
    return scalarText(value);
  };
}

/** Converts a value to text; lists and objects to JSON. */
function scalarText(value: PlainValue): ParamValue {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Decimal) return value.text;
  return typeof value === 'object' ? writeJson(value) : String(value);
}

function arrayText(items: readonly PlainValue[], whole: PlainValue): ParamValue {
  return whole === null ? null : `{${items.map(elementText).join(',')}}`;
}

function elementText(value: PlainValue): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`;
  return `"${String(scalarText(value)).replace(/["\\]/g, (character) => `\\${character}`)}"`;
}
