/** Command codes of the protocol, and the encoding of text commands. */
export const COMMAND = { quit: 1, initDb: 2, query: 3, ping: 14, prepare: 22, execute: 23, close: 25, reset: 31 } as const;
/** Bytes reserved for the packet header. */
export const HEADER = 4;

export function command(code: number, text: string): Buffer {
  const size = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(HEADER + 1 + size);
  bytes[HEADER] = code;
  bytes.write(text, HEADER + 1, 'utf8');
  return bytes;
}

export function closeCommand(statement: number): Buffer {
  const bytes = Buffer.alloc(HEADER + 5);
  bytes[HEADER] = COMMAND.close;
  bytes.writeUInt32LE(statement, HEADER + 1);
  return bytes;
}
