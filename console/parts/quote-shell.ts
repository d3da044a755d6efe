/** Quotes a text for a POSIX shell. Pure. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
