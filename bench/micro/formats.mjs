// Cost of writing a page of 1,000 rows (int, text, text, timestamptz) in each format, compared with
// row objects and JSON.stringify. The formats take turns in one process, and the best round counts.
// Usage: npm run build && node bench/micro/formats.mjs [rounds]
import { FORMATS } from '../../dist/formats/index.js';
import { ByteWriter } from '../../dist/util/bytes/byte-writer.js';

const ROWS = 1000;
const ROUNDS = Number(process.argv[2] ?? 60);
const PAGES_A_ROUND = 10;
const LIMITS = { json: 1, csv: 1.5, xml: 1.5, yaml: 1.5, bson: 2 };

const columns = [
  { name: 'id', kind: 'int' },
  { name: 'name', kind: 'text' },
  { name: 'email', kind: 'text' },
  { name: 'created_at', kind: 'timestamptz' },
];

/** Rows as an engine provides them: one buffer per page, offsets per row. */
function makePage() {
  const texts = Array.from({ length: ROWS }, (_, i) => [
    String(i + 1),
    `Customer ${i % 7 === 0 ? 'José' : 'Smith'} ${i}`,
    `user${i}@example.com`,
    new Date(1_700_000_000_000 + i * 61_001).toISOString(),
  ]);
  const bytes = Buffer.from(texts.flat().join(''));
  let at = 0;
  const offsets = texts.map((row) => {
    const from = [];
    const to = [];
    for (const text of row) {
      from.push(at);
      at += Buffer.byteLength(text);
      to.push(at);
    }
    return { from: Int32Array.from(from), to: Int32Array.from(to) };
  });
  return { bytes, offsets };
}

const page = makePage();

function writeFormat(format) {
  const cells = { bytes: page.bytes, from: new Int32Array(columns.length), to: new Int32Array(columns.length) };
  let size = 0;
  const out = new ByteWriter(64 * 1024, (piece) => {
    size += piece.length;
  });
  const writer = format.rows(columns, out);
  for (const { from, to } of page.offsets) {
    cells.from.set(from);
    cells.to.set(to);
    writer.row(cells);
    out.flushIfFull();
  }
  writer.end();
  return size + out.take().length;
}

function writeObjects() {
  const rows = page.offsets.map(({ from, to }) => {
    const text = (i) => page.bytes.toString('utf8', from[i], to[i]);
    return { id: Number(text(0)), name: text(1), email: text(2), created_at: new Date(text(3)) };
  });
  return Buffer.from(JSON.stringify(rows)).length;
}

const contenders = new Map([['objects', writeObjects], ...[...FORMATS].map(([name, format]) => [name, () => writeFormat(format)])]);
const best = new Map();
const sizes = new Map();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, write] of contenders) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < PAGES_A_ROUND; i++) sizes.set(name, write());
    const ms = Number(process.hrtime.bigint() - start) / 1e6 / PAGES_A_ROUND;
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, ms));
  }
}

const base = best.get('json');
for (const [name, ms] of best) {
  const limit = LIMITS[name] === undefined ? '' : `limit ${LIMITS[name]}`;
  const rate = Math.round((ROWS / ms) * 1000).toLocaleString('en');
  console.log(
    `${name.padEnd(8)} ${ms.toFixed(3)} ms/page  ${rate.padStart(10)} rows/s  ${sizes.get(name)} bytes  ${(ms / base).toFixed(2)} of json  ${limit}`,
  );
}
