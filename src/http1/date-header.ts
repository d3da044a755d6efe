/** The `Date` header line, formatted once a second. */
export class DateHeader {
  #second = 0;
  #line = '';

  line(): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#line = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    }
    return this.#line;
  }
}
