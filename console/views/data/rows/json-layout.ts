/** Adds line breaks to JSON without touching names or values. Pure. */

/** Shorter texts are read at a glance. */
const MAX_LINE = 80;
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/g;

export function layOut(json: string): string {
  if (json.length <= MAX_LINE) return json;
  let text = '';
  let depth = 0;
  let before = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth--;
      text += before === '{' || before === '[' ? token : newLine() + token;
    } else {
      if (before === '{' || before === '[') text += newLine();
      text += token === ':' ? ': ' : token;
      if (token === ',') text += newLine();
      if (token === '{' || token === '[') depth++;
    }
    before = token;
  }
  return text;
}
