/** The bytes that may appear in each part of a request head. Pure. */
export const SPACE = 0x20;
export const TAB = 0x09;

export const IN_TOKEN = 1;
export const IN_TARGET = 2;
export const IN_VALUE = 4;

const CLASSES = new Uint8Array(256);
for (let code = 0x21; code < 0x7f; code++) CLASSES[code] = IN_TARGET | IN_VALUE;
for (let code = 0x80; code < 0x100; code++) CLASSES[code] = IN_VALUE;
CLASSES[SPACE] = IN_VALUE;
CLASSES[TAB] = IN_VALUE;
// A target has no fragment: some parsers would cut it off.
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  CLASSES[character.charCodeAt(0)] = IN_TOKEN | IN_VALUE | (character === '#' ? 0 : IN_TARGET);

/**
 * The first position from `at` on whose byte is in none of these classes. A line break must follow:
 * it is in none.
 */
export function skip(bytes: Buffer, at: number, classes: number): number {
  let end = at;
  while (((CLASSES[bytes[end] as number] as number) & classes) !== 0) end++;
  return end;
}
