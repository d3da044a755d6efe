// Tests the checks of the torture run with the violations that they must find.
import { expect, test } from 'vitest';
import { FORMATS, flawOfBig, foreignMarkers } from './answers.ts';
import type { Ending } from './client.ts';
import { History } from './history.ts';
import { Random } from './random.ts';
import { BIG_ROWS } from './world.ts';

const answer = (status: number, outcome?: string): Ending => ({
  kind: 'answer',
  status,
  headers: outcome === undefined ? {} : { 'x-outcome': outcome },
  body: Buffer.alloc(0),
  ms: 1,
});

test.each<[string, Ending, number, RegExp | undefined]>([
  ['acknowledged and there', answer(201), 3, undefined],
  ['acknowledged and lost', answer(201), 0, /acknowledged/],
  ['acknowledged and half there', answer(200), 2, /acknowledged/],
  ['acknowledged and doubled', answer(200), 6, /more than once/],
  ['unknown and absent', answer(424, 'unknown'), 0, undefined],
  ['unknown and there', { kind: 'broken', ms: 1 }, 3, undefined],
  ['unknown and half there', { kind: 'left', ms: 1 }, 1, /by half/],
  ['unknown and doubled', answer(504), 6, /more than once/],
  ['nothing, and nothing there', answer(424, 'none'), 0, undefined],
  ['nothing, and there all the same', answer(424, 'none'), 3, /said not to be there/],
  ['refused, and there all the same', answer(422), 3, /said not to be there/],
])('a batch that is %s', (_, ending, rows, words) => {
  const history = new History();
  history.begin('b', 3);
  history.end('b', ending);
  const wrong = history.check(rows === 0 ? [] : [{ batch: 'b', rows }]);
  if (words === undefined) expect(wrong).toEqual([]);
  else expect(wrong).toEqual([expect.stringMatching(words)]);
});

test('a batch that nobody sent', () => {
  expect(new History().check([{ batch: 'ghost', rows: 1 }])).toEqual([expect.stringContaining('never sent')]);
});

test('rows of another tenant', () => {
  const own = 'tenant-a-00000000';
  expect(foreignMarkers(Buffer.from(`[{"t":"${own}"},{"t":"tenant-b-12345678"}]`), own)).toEqual(['tenant-b-12345678']);
  expect(foreignMarkers(Buffer.from(`[{"t":"${own}"}]`), own)).toEqual([]);
});

test.each(FORMATS)('a short body in %s, wherever it is cut', (format) => {
  const marker = 'tenant-a-00000000';
  const rows = Array.from({ length: BIG_ROWS }, (_, id) => ({ id, tenant: marker }));
  const bson = Buffer.from(`....${rows.map(() => marker).join('')}\0`, 'latin1');
  bson.writeInt32LE(bson.length);
  const whole = {
    json: Buffer.from(JSON.stringify(rows)),
    xml: Buffer.from(`<response>${rows.map(({ tenant }) => `<row><tenant>${tenant}</tenant></row>`).join('')}</response>`),
    yaml: Buffer.from(rows.map(({ id, tenant }) => `- id: ${id}\n  tenant: "${tenant}"\n`).join('')),
    csv: Buffer.from(`id,tenant\r\n${rows.map(({ id, tenant }) => `${id},${tenant}\r\n`).join('')}`),
    bson,
  }[format];
  expect(flawOfBig(format, whole, marker)).toBeUndefined();
  for (const missing of [1, 2, 20, 1_000, whole.length]) expect(flawOfBig(format, whole.subarray(0, -missing), marker)).toBeDefined();
});

test('the same seed gives the same numbers, whatever else is drawn', () => {
  const [one, two] = [new Random(42), new Random(42)];
  two.fork('b').next();
  expect(Array.from({ length: 100 }, () => one.fork('a').next())).toEqual(Array.from({ length: 100 }, () => two.fork('a').next()));
  expect(new Random(1).fork('a').next()).not.toBe(new Random(2).fork('a').next());
});
