/** Upper, lower and title case of letters, the digraphs with a case of their own among them. */
/** Letters whose title case is neither the upper nor the lower one, each as upper, title, lower. */
const DIGRAPHS = ['ǄǅǆǇǈǉǊǋǌǱǲǳ'].flatMap((all) => all.match(/.{3}/gu) ?? []);
const TITLE = new Map(DIGRAPHS.flatMap(([upper = '', title = '', lower = '']) => [upper, title, lower].map((c) => [c, title] as const)));

function toTitle(point: string): string {
  return TITLE.get(point) ?? point.toUpperCase();
}

export function capitalize(text: string): string {
  const [first = ''] = text;
  return toTitle(first) + text.slice(first.length).toLowerCase();
}

const LETTER = /\p{L}/u;

/** The first letter of each run of letters in title case, the others in lower case. */
export function titleCase(text: string): string {
  let out = '';
  let inWord = false;
  for (const point of text) {
    out += inWord ? point.toLowerCase() : toTitle(point);
    inWord = LETTER.test(point);
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
