// Numbers in results of tools: JSON numbers where a double holds them, else strings.
import { describe, expect, it } from 'vitest';
import { forClients } from '../../src/mcp/values.ts';
import { parseJson, writeJson } from '../../src/util/json/json.ts';

const shown = (text: string): string => writeJson(forClients(parseJson(Buffer.from(text), { maxDepth: 10 })));

describe('numbers in results', () => {
  it('stay numbers when a double holds them', () => {
    for (const text of ['7', '-9007199254740991', '0.10', '0.0', '1.5e10', '123456789012.345'])
      expect(Number(shown(text))).toBe(Number(text));
  });

  it('are strings when a double would round, overflow or underflow', () => {
    for (const text of ['9007199254740993', '1234567890123456.7891', '1e999', '1e-400', `0.${'0'.repeat(320)}1`])
      expect(shown(text)).toBe(`"${text}"`);
  });
});
