/** Rows as the text of the response: values are slices of it, so none becomes a number. Pure. */

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const LAST_BLANK = 32;

/** The text is not an array of JSON objects. */
export class NotRows extends Error {
  constructor() {
    super('The response is not a list of rows. Try again.');
  }
}

/** Rows of one response. Cells are found once and cut out when they are shown. */
export interface RowPage {
  readonly columns: readonly string[];
  readonly rowCount: number;
  /** JSON of a value; `undefined` if the row has no such column. */
  raw(row: number, column: number): string | undefined;
}

/** Reads `[{…}, …]`. The first row names the columns; `expected` are those of an earlier page. */
export function readRows(text: string, expected?: readonly string[]): RowPage {
  const scanner = new Scanner(text, expected);
  scanner.readList();
  const { columns, cells, rowCount } = scanner;
  const width = columns.length;
  return {
    columns,
    rowCount,
    raw(row, column) {
      const at = 2 * (row * width + column);
      const end = cells[at + 1] ?? 0;
      return end === 0 ? undefined : text.slice(cells[at], end);
    },
  };
}

class Scanner {
  columns: readonly string[];
  /** Start and end of each value, row by row. An end of 0 means that there is none. */
  cells = new Int32Array(1024);
  rowCount = 0;
  readonly #text: string;
  /** Names of the columns as the text of a row has them. */
  #names: readonly string[] | undefined;
  #at = 0;

  constructor(text: string, expected: readonly string[] | undefined) {
    this.#text = text;
    this.columns = expected ?? [];
    if (expected !== undefined) this.#names = expected.map((name) => JSON.stringify(name));
  }

  readList(): void {
    this.#expect(OPEN_LIST);
    if (this.#peek() === CLOSE_LIST) return;
    do {
      if (this.#names === undefined) this.#readFirstRow();
      else this.#readRow(this.#names);
      this.rowCount++;
    } while (this.#take(COMMA));
    this.#expect(CLOSE_LIST);
  }

  /** Reads the names of the columns, then the row again for its values. */
  #readFirstRow(): void {
    const start = this.#at;
    const names: string[] = [];
    this.#readMembers((name) => names.push(name));
    this.#names = names;
    this.columns = names.map((name) => JSON.parse(name) as string);
    this.#at = start;
    this.#readRow(names);
  }

  #readRow(names: readonly string[]): void {
    const first = 2 * this.rowCount * names.length;
    this.#reserve(first + 2 * names.length);
    let next = 0;
    this.#readMembers((name, start, end) => {
      const column = names[next] === name ? next : names.indexOf(name);
      if (column < 0) return;
      next = column + 1;
      this.cells[first + 2 * column] = start;
      this.cells[first + 2 * column + 1] = end;
    });
  }

  #readMembers(member: (name: string, start: number, end: number) => void): void {
    this.#expect(OPEN_OBJECT);
    if (this.#take(CLOSE_OBJECT)) return;
    do {
      this.#peek();
      const name = this.#at;
      const nameEnd = this.#stringEnd(name);
      this.#at = nameEnd;
      this.#expect(COLON);
      this.#peek();
      const start = this.#at;
      this.#at = this.#valueEnd(start);
      member(this.#text.slice(name, nameEnd), start, this.#at);
    } while (this.#take(COMMA));
    this.#expect(CLOSE_OBJECT);
  }

  #reserve(length: number): void {
    if (length <= this.cells.length) return;
    const larger = new Int32Array(Math.max(length, 2 * this.cells.length));
    larger.set(this.cells);
    this.cells = larger;
  }

  /** The next letter that is not blank. */
  #peek(): number {
    while (this.#text.charCodeAt(this.#at) <= LAST_BLANK) this.#at++;
    return this.#text.charCodeAt(this.#at);
  }

  #take(letter: number): boolean {
    if (this.#peek() !== letter) return false;
    this.#at++;
    return true;
  }

  #expect(letter: number): void {
    if (!this.#take(letter)) throw new NotRows();
  }

  #stringEnd(start: number): number {
    for (let at = this.#text.indexOf('"', start + 1); at >= 0; at = this.#text.indexOf('"', at + 1)) {
      let slashes = 0;
      while (this.#text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
      if (slashes % 2 === 0) return at + 1;
    }
    throw new NotRows();
  }

  #valueEnd(start: number): number {
    const first = this.#text.charCodeAt(start);
    if (first === QUOTE) return this.#stringEnd(start);
    if (first === OPEN_LIST || first === OPEN_OBJECT) return this.#nestedEnd(start);
    for (let at = start; at < this.#text.length; at++) {
      const letter = this.#text.charCodeAt(at);
      if (letter === COMMA || letter === CLOSE_OBJECT || letter === CLOSE_LIST || letter <= LAST_BLANK) return at;
    }
    throw new NotRows();
  }

  #nestedEnd(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#text.length; at++) {
      const letter = this.#text.charCodeAt(at);
      if (letter === QUOTE) at = this.#stringEnd(at) - 1;
      else if (letter === OPEN_LIST || letter === OPEN_OBJECT) depth++;
      else if ((letter === CLOSE_LIST || letter === CLOSE_OBJECT) && --depth === 0) return at + 1;
    }
    throw new NotRows();
  }
}
