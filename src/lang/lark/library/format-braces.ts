/** The method `format` of strings: replacement fields in braces, by position or by name. */
import { fail } from '../values/failure.ts';
import type { NamedArgument } from '../values/function.ts';
import { CONVERSION_STEPS } from '../values/text/format-percent.ts';
import { CHAR_BYTES, repr, shown } from '../values/text/text.ts';
import type { Thread } from '../values/thread.ts';
import type { LarkValue } from '../values/value.ts';

interface Field {
  readonly name: string;
  readonly conversion: string;
  readonly spec: string;
}

export function formatBraces(thread: Thread, format: string, args: readonly LarkValue[], named: NamedArgument): string {
  const numbering: Numbering = { automatic: 0, manual: false };
  let out = '';
  let rest = format;
  thread.charge(format.length * CHAR_BYTES);
  thread.spend(format.length >> 4);
  for (;;) {
    thread.spend(CONVERSION_STEPS);
    const open = rest.indexOf('{');
    const literal = open < 0 ? rest : rest.slice(0, open);
    out += literalText(literal);
    if (open < 0) return thread.strings.joined(out);
    if (rest.charAt(open + 1) === '{') {
      out += '{';
      rest = rest.slice(open + 2);
      continue;
    }
    const close = rest.indexOf('}', open);
    if (close < 0) fail("unmatched '{' in format");
    const field = parseField(rest.slice(open + 1, close));
    const value = lookup(thread, field.name, args, named, numbering);
    checkField(field);
    const text = field.conversion === 'r' ? repr(thread, value) : shown(thread, value);
    thread.charge(text.length * CHAR_BYTES);
    out += text;
    rest = rest.slice(close + 1);
  }
}

/** Outside of fields, `}}` is an escaped brace and a lone brace is an error. */
function literalText(literal: string): string {
  if (!literal.includes('}')) return literal;
  const text = literal.replaceAll('}}', '\0');
  if (text.includes('}')) fail("single '}' in format");
  return literal.replaceAll('}}', '}');
}

function parseField(text: string): Field {
  const bang = text.indexOf('!');
  const colon = text.indexOf(':', Math.max(0, bang));
  const spec = colon < 0 ? '' : text.slice(colon + 1);
  const head = colon < 0 ? text : text.slice(0, colon);
  const name = bang < 0 ? head : head.slice(0, bang);
  const conversion = bang < 0 ? 's' : head.slice(bang + 1);
  if (name.includes('{')) fail('nested replacement fields not supported');
  return { name, conversion, spec };
}

function checkField({ conversion, spec }: Field): void {
  if (spec !== '') fail(`format spec features not supported in replacement fields: ${spec}`);
  if (conversion !== 's' && conversion !== 'r') fail(`unknown conversion ${JSON.stringify(conversion)}`);
}

interface Numbering {
  automatic: number;
  manual: boolean;
}

function lookup(thread: Thread, name: string, args: readonly LarkValue[], named: NamedArgument, numbering: Numbering): LarkValue {
  if (name === '') {
    if (numbering.manual) fail('cannot switch from manual field specification to automatic field numbering');
    return args[numbering.automatic++] ?? nullAt(args, numbering.automatic - 1);
  }
  if (/^\d+$/.test(name)) {
    if (numbering.automatic > 0) fail('cannot switch from automatic field numbering to manual field specification');
    numbering.manual = true;
    return nullAt(args, Number(name));
  }
  thread.spend(named.length >> 2);
  const match = named.find(([key]) => key === name);
  if (match !== undefined) return match[1];
  if (name.includes('.')) return fail(`attribute syntax x.y is not supported in replacement fields: ${name}`);
  if (name.includes('[')) return fail(`element syntax a[i] is not supported in replacement fields: ${name}`);
  return fail(`keyword ${name} not found`);
}

function nullAt(args: readonly LarkValue[], index: number): LarkValue {
  const value = args[index];
  return value === undefined ? fail('tuple index out of range') : value;
}
