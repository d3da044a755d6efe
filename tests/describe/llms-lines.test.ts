// Lines of llms.txt: only long ones are shortened, and never in the middle of an item.
import { describe, expect, it } from 'vitest';
import { fitLines as fitLinesOf, type ListLine } from '../../src/describe/documents/llms-lines.ts';

const fitLines = (lines: readonly ListLine[], maxBytes: number): Promise<readonly string[]> => fitLinesOf(lines, maxBytes, 'test');

const items = (count: number): string[] => Array.from({ length: count }, (_, index) => `column_${index} text`);

describe('lines of llms.txt', () => {
  it('stay whole when all of them fit', async () => {
    const line = { head: '- a: ', items: items(40), tail: ' (1.0.0): A summary' };
    expect(await fitLines([line, { head: '- b: ', items: [], tail: '' }], 5000)).toEqual([
      `- a: ${items(40).join(', ')} (1.0.0): A summary`,
      '- b: ',
    ]);
  });

  it('leave out counted items and keep their summaries when they do not fit', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => ({
      head: `- GET calls/${index} {`,
      items: items(30),
      tail: '} (1.0.0): Orders of a customer',
    }));
    const fitted = await fitLines(lines, 11_000);
    for (const [index, line] of fitted.entries())
      expect(line).toMatch(
        new RegExp(`^- GET calls/${index} \\{(?:column_\\d+ text, )+… \\d+ more\\} \\(1\\.0\\.0\\): Orders of a customer$`),
      );
    expect(Buffer.byteLength(fitted.join('\n'))).toBeLessThanOrEqual(11_000 + 60);
  });

  it('give the room of short lines to long ones', async () => {
    const short = Array.from({ length: 59 }, () => ({ head: '- t: ', items: ['id int'], tail: '' }));
    const [, ...rest] = await fitLines([{ head: '- wide: ', items: items(200), tail: '' }, ...short], 11_000);
    expect(rest.every((line) => line === '- t: id int')).toBe(true);
    expect((await fitLines([{ head: '- wide: ', items: items(200), tail: '' }, ...short], 11_000))[0]).toContain('column_199 text');
  });

  it('are one line each when a summary has line breaks', async () => {
    expect(await fitLines([{ head: '- a', items: [], tail: ': one\n\n## two' }], 100)).toEqual(['- a: one ## two']);
  });
});
