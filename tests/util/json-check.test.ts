// The check of JSON without building it agrees with the runtime's parser.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson } from '../../src/util/json/json-check.ts';

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text between other bytes, which must not be read. */
function check(text: string): boolean {
  const bytes = Buffer.from(`1${text}1]}"`);
  return isJson(bytes, 1, 1 + Buffer.byteLength(text));
}

describe('isJson', () => {
  it.each([
    ...['1', '-0', '0.5e+10', '1E-2', '"a\\n\\u12Af"', ' [ ] ', '{ }', '[1,{"a":[null,true,false]}]', '{"a":1,"a":2}', '"\u00e9"'],
    ...['', ' ', '01', '+1', '1.', '.5', '1e', '-', 'nul', 'NaN', '"', '"\\x"', '"\\u12g4"', '"\n"', '[1,]', '[,1]', '{"a"}', '{a:1}'],
    ...['{"a":1,}', '[1}', '{"a":1]', '1 2', '[1]]', '"a" "b"', '[', '{', '{"a"', '{"a":', '[1', "'a'", '1, "admin": true', '"\\"'],
  ])('decides about %j as JSON.parse does', (text) => {
    expect(check(text)).toBe(isParsed(text));
  });

  it('accepts every JSON text', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 6 }), (text) => check(text)));
  });

  it('decides about damaged JSON texts as JSON.parse does', () => {
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:0-.e\\u tn\n')).map(([text, at, character]) => {
      const place = at % (text.length + 1);
      return at % 2 === 0 ? text.slice(0, place) + text.slice(place + 1) : text.slice(0, place) + character + text.slice(place);
    });
    fc.assert(
      fc.property(damaged, (text) => check(text) === isParsed(text)),
      { numRuns: 1000 },
    );
  });

  it('rejects text that is nested too deeply instead of overflowing', () => {
    expect(check('['.repeat(100_000) + ']'.repeat(100_000))).toBe(false);
    expect(check('['.repeat(9_000) + ']'.repeat(9_000))).toBe(true);
  });
});
