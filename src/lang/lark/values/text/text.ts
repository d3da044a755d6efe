/**
 * Text of values, for `str`, `repr` and `print`. Cycles are shown as dots; memory is charged as the
 * text grows.
 */
import { MAX_DATA_DEPTH, tooDeepData } from '../depth.ts';
import { Extension } from '../extension.ts';
import { LarkBuiltin, LarkFunction } from '../function.ts';
import { intText } from '../int.ts';
import { LarkDict, LarkSet } from '../table.ts';
import type { Thread } from '../thread.ts';
import { ExactFloat, LarkBytes, LarkFloat, LarkList, LarkRange, LarkTuple, type LarkValue, ModuleValue, typeOf } from '../value.ts';
import { floatText } from './float-text.ts';
import { quote, quoteBytes } from './quote.ts';
import { decode, readable } from './utf8.ts';

/** Bytes charged per character of a string. */
export const CHAR_BYTES = 2;

/** Steps charged per written value, which takes longer than an iteration of a loop. */
export const WRITE_STEPS = 4;

class Writer {
  readonly #thread: Thread;
  readonly #open: LarkValue[] = [];

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  write(value: LarkValue): string {
    this.#thread.spend(WRITE_STEPS);
    const text = this.#text(value);
    this.#thread.charge(text.length * CHAR_BYTES);
    return text;
  }

  #text(value: LarkValue): string {
    if (typeof value === 'string') return quote(this.#thread, value);
    if (value === null) return 'None';
    if (typeof value === 'bigint') return intText(this.#thread, value);
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    if (typeof value !== 'object') return String(value);
    if (value instanceof LarkFloat) return value instanceof ExactFloat ? value.decimal.text : floatText(value.value);
    if (value instanceof LarkList) return this.#within(value, '[...]', () => `[${this.#all(value.items)}]`);
    if (value instanceof LarkTuple) return this.#tuple(value);
    if (value instanceof LarkDict) return this.#within(value, '{...}', () => `{${this.#pairs(value)}}`);
    if (value instanceof LarkSet) return this.#within(value, 'set([...])', () => `set([${this.#all(value.values())}])`);
    if (value instanceof LarkBytes) return quoteBytes(this.#thread, value.data);
    if (value instanceof LarkRange) return rangeText(value);
    if (value instanceof LarkFunction) return `<function ${value.code.name}>`;
    if (value instanceof LarkBuiltin) return builtinText(value);
    if (value instanceof ModuleValue) return `<module ${quote(this.#thread, value.name)}>`;
    if (value instanceof Extension) return this.#within(value, '...', () => value.text((inner) => this.write(inner), this.#thread));
    return `<${typeOf(value)}>`;
  }

  #tuple(tuple: LarkTuple): string {
    const comma = tuple.items.length === 1 ? ',' : '';
    return this.#within(tuple, '(...)', () => `(${this.#all(tuple.items)}${comma})`);
  }

  #within(value: LarkValue, dots: string, write: () => string): string {
    if (this.#open.includes(value)) return dots;
    if (this.#open.length >= MAX_DATA_DEPTH) tooDeepData();
    this.#open.push(value);
    const text = write();
    this.#open.pop();
    return text;
  }

  #all(values: Iterable<LarkValue>): string {
    let text = '';
    for (const value of values) {
      text += text === '' ? this.write(value) : `, ${this.write(value)}`;
    }
    return text;
  }

  #pairs(dict: LarkDict): string {
    let text = '';
    for (const [key, value] of dict.pairs(this.#thread)) {
      text += `${text === '' ? '' : ', '}${this.write(key)}: ${this.write(value)}`;
    }
    return text;
  }
}

function rangeText(range: LarkRange): string {
  if (range.step !== 1) return `range(${range.start}, ${range.stop}, ${range.step})`;
  return range.start === 0 ? `range(${range.stop})` : `range(${range.start}, ${range.stop})`;
}

function builtinText(builtin: LarkBuiltin): string {
  if (builtin.self === undefined) return `<built-in function ${builtin.name}>`;
  return `<built-in method ${builtin.name} of ${typeOf(builtin.self)} value>`;
}

export function repr(thread: Thread, value: LarkValue): string {
  return new Writer(thread).write(value);
}

/** Like `repr`, but strings are not quoted. Used by formats. */
export function shown(thread: Thread, value: LarkValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') {
    thread.charge(CHAR_BYTES * 8);
    return String(value);
  }
  return repr(thread, value);
}

/** Like `shown`, but bytes are decoded. */
export function str(thread: Thread, value: LarkValue): string {
  if (!(value instanceof LarkBytes)) return shown(thread, value);
  thread.charge(value.data.length * CHAR_BYTES);
  return readable(decode(Buffer.from(value.data), (steps) => thread.spend(steps)));
}
