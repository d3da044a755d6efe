/** Path of a place in a YAML text, by indentation: it also works while the text is typed. Pure. */

export interface YamlPath {
  /** Keys from the outside in; `[]` is an item of a list. */
  readonly path: readonly string[];
  /** `true` behind the colon of the last key. */
  readonly isValue: boolean;
  /** `true` inside a block scalar: the text of a step. */
  readonly isBlock: boolean;
}

const LINE = /^(\s*)((?:-\s+)*)(?:("[^"]*"|'[^']*'|[^\s#:][^:#]*?)\s*:(?:\s+(.*)|$))?/;

interface Line {
  readonly indent: number;
  /** Columns of the dashes of list items in the line. */
  readonly dashes: readonly number[];
  readonly key: string | undefined;
  readonly rest: string;
}

function readLine(text: string): Line {
  const [, blanks = '', marks = '', key, rest = ''] = LINE.exec(text) ?? [];
  const dashes = [...marks.matchAll(/-/g)].map(({ index }) => blanks.length + index);
  return { indent: blanks.length + marks.length, dashes, key: key?.replace(/^["']|["']$/g, ''), rest };
}

const isBlockStart = (rest: string): boolean => /^[|>][-+\d]*\s*(?:#.*)?$/.test(rest);

/** `before` is the text up to the place. */
export function yamlPathAt(before: string): YamlPath {
  const lines = before.split('\n');
  const current = lines.pop() ?? '';
  const own = readLine(current);
  const limit = current.trim() === '' ? current.length : own.indent;
  const outer = outerPath(lines, limit, own.dashes);
  if (outer.isBlock) return { path: outer.path, isValue: true, isBlock: true };
  const dashes = own.dashes.map(() => '[]');
  if (own.key === undefined || !/:\s/.test(current)) return withFlow([...outer.path, ...dashes], current.slice(limit), false);
  return withFlow([...outer.path, ...dashes, own.key], own.rest, true);
}

function outerPath(lines: readonly string[], start: number, ownDashes: readonly number[]): Pick<YamlPath, 'path' | 'isBlock'> {
  const path: string[] = [];
  let limit = ownDashes[0] ?? start;
  let isBlock = false;
  for (let at = lines.length - 1; at >= 0 && limit >= 0; at--) {
    const text = lines[at] ?? '';
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const line = readLine(text);
    const keyAt = line.key === undefined ? Number.POSITIVE_INFINITY : line.indent;
    // The items of a list may have the column of its key.
    const holdsList = ownDashes.length > 0 && path.length === 0 && line.dashes.length === 0 && keyAt === limit;
    if (keyAt < limit || holdsList) {
      if (path.length === 0 && isBlockStart(line.rest)) isBlock = true;
      path.unshift(line.key ?? '');
      limit = keyAt;
    }
    for (const dash of line.dashes.toReversed())
      if (dash < limit) {
        path.unshift('[]');
        limit = dash;
      }
    if (limit === 0 && line.dashes.length === 0) break;
    if (limit === 0 && line.dashes.length > 0) limit = 1;
  }
  return { path, isBlock };
}

/** Adds the keys of braces that are open: `{type: integer, `. */
function withFlow(outer: readonly string[], text: string, isValue: boolean): YamlPath {
  let path = [...outer];
  let value = isValue;
  const stack: string[][] = [];
  for (const [token] of text.matchAll(/[{}[\],]|[\w.$-]+\s*:(?=\s|$)|"[^"]*"|'[^']*'/g)) {
    if (token === '{' || token === '[') {
      stack.push(path);
      path = token === '[' ? [...path, '[]'] : path;
      value = token === '[';
    } else if (token === '}' || token === ']') {
      path = stack.pop() ?? path;
      value = true;
    } else if (token === ',') {
      const open = stack.at(-1);
      const isList = path.at(-1) === '[]' && open !== undefined && path.length === open.length + 1;
      if (!isList && open !== undefined) path = open;
      value = isList;
    } else if (token.endsWith(':')) {
      path = [...path, token.slice(0, -1).trim()];
      value = true;
    }
  }
  return { path, isValue: value, isBlock: false };
}
