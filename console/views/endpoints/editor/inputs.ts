/** The form of a trial, made from the declared inputs, and the input that its texts mean. */
import { Digits, type Exact, type ExactObject, isObject, parseExact, writeExact } from '../../../../ui/exact.ts';
import { fieldOf, plainValueOf, textOf, type Yaml } from '../../../parts/editor/yaml.ts';

export interface InputField {
  readonly name: string;
  /** `json` if nothing is declared: an object with any fields. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly choices: readonly string[] | undefined;
  /** Text of the example, with which the field is filled. */
  readonly example: string;
  /** Text of the default, which the service fills in. */
  readonly fallback: string | undefined;
}

/** Name of the field for everything, if no inputs are declared. */
export const WHOLE_INPUT = 'input';

const bracesOf = (uri: string): readonly string[] => [...uri.matchAll(/\{([^}/]*)\}/g)].map(([, name = '']) => name);

export function inputFields(tree: Yaml | undefined, uri: string): readonly InputField[] {
  const section = fieldOf(tree, 'input');
  const braces = bracesOf(uri);
  const declared = section?.kind === 'map' ? section.entries.map(({ key, value }) => declaredField(key, value, braces.includes(key))) : [];
  const names = new Set(declared.map(({ name }) => name));
  const path = braces.filter((name) => !names.has(name)).map((name) => fieldOfType(name, 'string', true));
  const rest = section === undefined ? [{ ...fieldOfType(WHOLE_INPUT, 'json', false), example: '{}' }] : [];
  return [...path, ...declared, ...rest];
}

const fieldOfType = (name: string, type: string, isRequired: boolean): InputField => ({
  name,
  type,
  isRequired,
  description: undefined,
  choices: undefined,
  example: '',
  fallback: undefined,
});

function declaredField(name: string, declaration: Yaml | undefined, isInPath: boolean): InputField {
  const type = textOf(fieldOf(declaration, 'type')) ?? 'any';
  const choices = plainValueOf(fieldOf(declaration, 'enum'));
  const fallback = fieldOf(declaration, 'default');
  return {
    name,
    type,
    isRequired: isInPath || textOf(fieldOf(declaration, 'required')) === 'true',
    description: textOf(fieldOf(declaration, 'description')),
    choices: Array.isArray(choices) ? (choices as readonly Exact[]).map(textOfValue) : undefined,
    example: exampleText(fieldOf(declaration, 'example')),
    fallback: fallback === undefined ? undefined : exampleText(fallback),
  };
}

/** A scalar is shown as its author wrote it: `2024-03-01`, `1.10`. */
function exampleText(tree: Yaml | undefined): string {
  if (tree === undefined) return '';
  return tree.kind === 'scalar' ? tree.text : writeExact(plainValueOf(tree));
}

function textOfValue(value: Exact): string {
  if (typeof value === 'string') return value;
  return value instanceof Digits ? value.text : writeExact(value);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function parsed(text: string): Exact {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** A text that is not of the type is sent as a text, so that the service explains what is wrong. */
const READERS: Readonly<Record<string, (text: string) => Exact>> = {
  integer: (text) => (NUMBER.test(text) ? new Digits(text) : text),
  number: (text) => (NUMBER.test(text) ? new Digits(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  array: parsed,
  object: parsed,
  any: parsed,
  file: parsed,
};

/** Omits empty fields. Throws a SyntaxError if the field for everything is not JSON. */
export function readInput(fields: readonly InputField[], texts: Readonly<Record<string, string>>): ExactObject {
  const input: Record<string, Exact> = {};
  for (const { name, type, example } of fields) {
    const text = texts[name] ?? example;
    if (text === '') continue;
    if (type === 'json') Object.assign(input, objectOf(text));
    else input[name] = READERS[type]?.(text) ?? text;
  }
  return input;
}

export function objectOf(text: string): ExactObject {
  const value = parseExact(text);
  if (!isObject(value)) throw new SyntaxError('it must be an object, for example {"name": "Ada"}');
  return value;
}
