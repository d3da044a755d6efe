/** The operations of Lark end soon after their time limit, whatever their operands are. */
import { beforeAll, describe, expect, it } from 'vitest';
import { BudgetError, DEFAULT_LIMITS } from '../../../src/lang/budget.ts';
import { compileLark, executeWith, makeThread, UNIVERSE } from '../../../src/lang/lark/index.ts';
import { BYTES_METHODS } from '../../../src/lang/lark/library/bytes-methods.ts';
import { DICT_METHODS } from '../../../src/lang/lark/library/dict-methods.ts';
import { LIST_METHODS } from '../../../src/lang/lark/library/list-methods.ts';
import { SET_METHODS } from '../../../src/lang/lark/library/set-methods.ts';
import { STRING_METHODS } from '../../../src/lang/lark/library/string-methods.ts';
import { fromLark } from '../../../src/lang/lark/values/convert.ts';
import { LarkBuiltin } from '../../../src/lang/lark/values/function.ts';
import { type LarkValue, ModuleValue } from '../../../src/lang/lark/values/value.ts';
import { CompileError, RunError } from '../../../src/lang/source.ts';
import { cpuMs } from '../../support/cpu.ts';
import { OPERATIONS, SETUP } from './worst-inputs.ts';

const METHODS = { bytes: BYTES_METHODS, dict: DICT_METHODS, list: LIST_METHODS, set: SET_METHODS, string: STRING_METHODS };

/** Names of all functions, methods and members of modules. */
function everyName(): string[] {
  const functions = [...UNIVERSE].flatMap(([name, value]) =>
    value instanceof ModuleValue
      ? [...value.members].filter(([, member]) => member instanceof LarkBuiltin).map(([member]) => `${name}.${member}`)
      : value instanceof LarkBuiltin
        ? [name]
        : [],
  );
  return [...functions, ...Object.entries(METHODS).flatMap(([type, methods]) => [...methods.keys()].map((name) => `${type}.${name}`))];
}

const ALLOWED_MS = 4;
/** Time that an operation may take beyond its limit. */
const MAX_LATE_MS = 20;
const TRIES = 20;
const UNLIMITED = { ...DEFAULT_LIMITS, steps: Number.MAX_SAFE_INTEGER, millis: 120_000, bytes: 2 ** 33 };
const LIMITED = { ...UNLIMITED, millis: ALLOWED_MS, bytes: 16 * 1024 * 1024 };

const result = new LarkBuiltin('result', (thread, [value = null]) => {
  fromLark(thread, value);
  return null;
});

let values: ReadonlyMap<string, LarkValue>;

/** Repeats an operation until its budget is used up, and returns the CPU time in ms. */
function millisOf(operation: string): number {
  const body = operation.replaceAll('; ', '\n    ');
  const program = compileLark(`for _ in range(1 << 50):\n    ${body}\n`, {
    predeclared: values.keys(),
    extensions: new Map([['result', result]]),
  });
  return cpuMs(() => {
    try {
      executeWith(program, makeThread({ limits: LIMITED }), values);
    } catch (error) {
      if (!(error instanceof BudgetError || error instanceof RunError)) throw error;
    }
  });
}

/** The shortest of several runs, since others may be disturbed. */
function shortestMs(operation: string): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && shortest > ALLOWED_MS + MAX_LATE_MS; i++) {
    prepare();
    shortest = Math.min(shortest, millisOf(operation));
  }
  return shortest;
}

function prepare(): void {
  values ??= executeWith(compileLark(SETUP), makeThread({ limits: UNLIMITED }), new Map());
}

describe('worst inputs', () => {
  beforeAll(prepare, 60_000);

  it('cover every function and method', () => {
    expect(everyName().filter((name) => OPERATIONS[name] === undefined)).toEqual([]);
  });

  it.each(Object.entries(OPERATIONS))(
    'end within milliseconds of the limit: %s',
    (_, { worst }) => {
      const late = worst.map((operation) => ({ operation, millis: Math.round(shortestMs(operation)) }));
      expect(late.filter(({ millis }) => millis > ALLOWED_MS + MAX_LATE_MS)).toEqual([]);
    },
    60_000,
  );

  it('are compiled as they are written', () => {
    for (const { worst } of Object.values(OPERATIONS)) {
      for (const operation of worst) expect(() => millisOf(operation), operation).not.toThrow(CompileError);
    }
  });
});
