// Host functions of the conformance suites: assertions that report and go on, and a few odd
// values.
import { BudgetError } from '../dist/lang/budget.js';
import { callBack } from '../dist/lang/lark/values/call.js';
import { equals, order, truth } from '../dist/lang/lark/values/compare.js';
import { Extension } from '../dist/lang/lark/values/extension.js';
import { LarkFailure } from '../dist/lang/lark/values/failure.js';
import { freeze } from '../dist/lang/lark/values/freeze.js';
import { LarkBuiltin } from '../dist/lang/lark/values/function.js';
import { membership } from '../dist/lang/lark/values/membership.js';
import { LarkStruct } from '../dist/lang/lark/values/struct.js';
import { repr, str } from '../dist/lang/lark/values/text/text.js';
import { ModuleValue } from '../dist/lang/lark/values/value.js';

const builtin = (name, body) => new LarkBuiltin(name, body);

function lineOf(thread) {
  return thread.text.slice(0, thread.at).split('\n').length;
}

/** The module of assertions of the reference's own tests. */
function assertions(report) {
  const check = (name, holds, text) =>
    builtin(name, (thread, args) => {
      if (!holds(thread, args)) report(lineOf(thread), text(thread, args));
      return null;
    });
  const both =
    (sign) =>
    (thread, [x, y]) =>
      `${repr(thread, x)} ${sign} ${repr(thread, y)}`;
  return new Map([
    ['eq', check('eq', (thread, [x, y]) => equals(thread, x, y), both('!='))],
    ['ne', check('ne', (thread, [x, y]) => !equals(thread, x, y), both('=='))],
    [
      'true',
      check(
        'true',
        (_thread, [x]) => truth(x),
        (thread, [, text]) => (text === undefined ? 'assertion failed' : str(thread, text)),
      ),
    ],
    ['lt', check('lt', (thread, [x, y]) => order(thread, '<', x, y, 0) < 0, both('is not less than'))],
    ['contains', check('contains', (thread, [x, y]) => membership(thread, y, x) === true, both('does not contain'))],
    [
      'fail',
      check(
        'fail',
        () => false,
        (thread, [text]) => str(thread, text),
      ),
    ],
    ['fails', builtin('fails', (thread, [fn, pattern]) => fails(report, thread, fn, pattern))],
  ]);
}

function fails(report, thread, fn, pattern) {
  const { at } = thread;
  try {
    callBack(thread, fn, []);
  } catch (error) {
    thread.at = at;
    if (!(error instanceof LarkFailure) && !(error instanceof BudgetError && error.kind === 'depth')) throw error;
    if (!new RegExp(pattern).test(error.message))
      report(lineOf(thread), `regular expression (${pattern}) did not match error (${error.message})`);
    return null;
  }
  report(lineOf(thread), `evaluation succeeded unexpectedly (want error matching ${pattern})`);
  return null;
}

class HasFields extends Extension {
  fields = new Map();
  frozen = false;

  get type() {
    return 'hasfields';
  }

  attribute(name) {
    return this.fields.get(name);
  }

  attributeNames() {
    return [...this.fields.keys()];
  }

  setAttribute(name, value) {
    if (this.frozen) throw new LarkFailure('cannot set field on a frozen hasfields');
    if (name.startsWith('no')) throw new LarkFailure(`hasfields has no .${name} field${this.#meant(name)}`);
    this.fields.set(name, value);
  }

  #meant(name) {
    const found = [...this.fields.keys()].find(
      (field) => field.replaceAll('_', '').toLowerCase() === name.slice(2).replaceAll('_', '').toLowerCase(),
    );
    return found === undefined ? '' : ` (did you mean .${found}?)`;
  }

  binary(op, _other, side) {
    return op === '+' && side === 'right' ? 42 : undefined;
  }

  children() {
    return this.fields.values();
  }

  freeze() {
    this.frozen = true;
  }
}

class Fibonacci extends Extension {
  get type() {
    return 'fib';
  }

  *iterate() {
    for (let [a, b] = [0, 1]; ; [a, b] = [b, a + b]) yield a;
  }
}

class GeneratedSymbol extends Extension {
  constructor(name) {
    super();
    this.name = name;
  }

  get type() {
    return 'symbol';
  }

  text() {
    return this.name;
  }

  call(_thread, _args, named) {
    return new LarkStruct(this, new Map(named));
  }
}

/** Values for the suite `go`; its assertions come as a module to be loaded. */
export function goHost(report) {
  const freezer = builtin('freeze', (thread, [value]) => {
    freeze(thread, [value]);
    return value;
  });
  const extensions = new Map([
    ['hasfields', builtin('hasfields', () => new HasFields())],
    ['fibonacci', new Fibonacci()],
    ['gensym', builtin('gensym', (_thread, _args, named) => new GeneratedSymbol(named[0][1]))],
  ]);
  const exports = new Map([
    ['assert', new ModuleValue('assert', assertions(report))],
    ['freeze', freezer],
  ]);
  return { extensions, loadable: new Map([['assert.star', exports]]) };
}

/** Values for the neutral suite of the specification. */
export function specHost(report) {
  const members = assertions(report);
  const extensions = new Map([
    ['assert_eq', members.get('eq')],
    ['assert_ne', members.get('ne')],
    ['assert_', members.get('true')],
  ]);
  return { extensions };
}
