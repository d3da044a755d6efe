/**
 * Upper, lower and title case of letters, including digraphs. Bytes outside of characters become
 * U+FFFD.
 */
import { readable } from './utf8.ts';

/**
 * Letters whose title case differs from both the upper and the lower case, each as upper, title,
 * lower.
 */
const DIGRAPHS = ['ǄǅǆǇǈǉǊǋǌǱǲǳ'].flatMap((all) => all.match(/.{3}/gu) ?? []);
const TITLE = new Map(DIGRAPHS.flatMap(([upper = '', title = '', lower = '']) => [upper, title, lower].map((c) => [c, title] as const)));

/** Letters whose upper case would be several letters. Each maps to one letter or to itself. */
const UNITED =
  /([\u00df\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1f50\u1f52\u1f54\u1f56\u1f80-\u1faf\u1fb2-\u1fb4\u1fb6\u1fb7\u1fbc\u1fc2-\u1fc4\u1fc6\u1fc7\u1fcc\u1fd2\u1fd3\u1fd6\u1fd7\u1fe2-\u1fe4\u1fe6\u1fe7\u1ff2-\u1ff4\u1ff6\u1ff7\u1ffc\ufb00-\ufb06\ufb13-\ufb17])/;
/** Ligatures with an upper case of a single letter, and its distance. */
const WITH_IOTA = /[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]/;
const WITH_IOTA_FAR = /[\u1fb3\u1fc3\u1ff3]/;

const UNITED_STEPS = 16;

function unitedUpper(letter: string): string {
  const far = WITH_IOTA.test(letter) ? 8 : WITH_IOTA_FAR.test(letter) ? 9 : 0;
  return String.fromCharCode(letter.charCodeAt(0) + far);
}

/**
 * Converts letter by letter, so that a ligature does not become two letters. Extra work is charged
 * as steps.
 */
export function upperCase(text: string, pay?: (steps: number) => void): string {
  const whole = readable(text);
  if (!UNITED.test(whole)) return whole.toUpperCase();
  pay?.(whole.length * UNITED_STEPS);
  return whole
    .split(UNITED)
    .map((run, i) => (i % 2 === 1 ? unitedUpper(run) : run.toUpperCase()))
    .join('');
}

/**
 * Converts letter by letter: a sigma does not depend on what follows, and a dotted I loses its dot.
 */
export function lowerCase(text: string): string {
  return readable(text).replaceAll('\u03a3', '\u03c3').replaceAll('\u0130', 'i').toLowerCase();
}

function toTitle(point: string): string {
  return TITLE.get(point) ?? upperCase(point);
}

export function capitalize(text: string): string {
  const [first = ''] = text;
  return toTitle(first) + lowerCase(text.slice(first.length));
}

const CASED = /[\p{Ll}\p{Lu}\p{Lt}]/u;

export function isCased(text: string): boolean {
  return CASED.test(text);
}

/** The first letter of each run of cased letters becomes title case, the others lower case. */
export function titleCase(text: string): string {
  let out = '';
  let inWord = false;
  for (const point of text) {
    out += inWord ? lowerCase(point) : toTitle(point);
    inWord = CASED.test(point);
  }
  return out;
}

const UPPER = /[\p{Lu}\p{Lt}]/u;
const LOWER = /\p{Ll}/u;

export function isTitle(text: string): boolean {
  let cased = false;
  let inWord = false;
  for (const point of text) {
    if (UPPER.test(point)) {
      if (inWord || point !== toTitle(point)) return false;
      inWord = cased = true;
    } else if (LOWER.test(point)) {
      if (!inWord) return false;
      cased = true;
    } else {
      inWord = false;
    }
  }
  return cased;
}
