// What a run found, as a table for the terminal, as Markdown, and as JSON. Knows results, not how they came about.
import { ENGINE_NAMES } from './engines.mjs';

const round = (number, digits) =>
  number === undefined ? '' : number.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
const micros = (value) => (value === undefined ? '' : value >= 10_000 ? `${round(value / 1000, 1)} ms` : `${round(value, 0)} µs`);
const millis = (value) => (value === undefined ? '' : `${round(value, value < 10 ? 2 : 0)} ms`);
const megabytes = (value) => (value === undefined ? '' : `${round(value / 1048576, 0)} MB`);
const spreadOf = (value) => (value === undefined ? '' : `${round(value.median, 2)} (${round(value.low, 2)} to ${round(value.high, 2)})`);

const COLUMNS = [
  ['', (c) => c.label],
  ['ratio (spread)', (c) => spreadOf(c.ratio)],
  ['thrift', (c) => round(c.thrift?.median, 2)],
  ['requests/s', (c) => round(c.rate, 0)],
  ['CPU/request', (c) => micros(c.cpu)],
  ['database CPU', (c) => micros(c.databaseCpu)],
  ['p50', (c) => millis(c.p50)],
  ['p99', (c) => `${millis(c.p99)}${c.isLate ? ' (worse)' : ''}`],
  ['p99.9', (c) => millis(c.p999)],
  ['RSS', (c) => megabytes(c.rss)],
  ['target', (c) => c.verdict ?? ''],
];

export const judge = (holds, words) => `${words}: ${holds ? 'met' : 'missed'}`;

/** What was to be reached and whether it was, in words; undefined where nothing was set. */
export function verdict(target, contestant) {
  if (!target) return undefined;
  const [[kind, least]] = Object.entries(target);
  const reached = contestant[kind]?.median;
  if (reached === undefined) return undefined;
  return judge(reached >= least, `${kind} ≥ ${round(least, 2)}`);
}

export const titleOf = ({ title, engine }) => (engine ? `${ENGINE_NAMES[engine]}: ${title}` : title);

/** One scenario for the terminal. */
export function toText(result) {
  const lines = [titleOf(result)];
  if (result.unavailable) lines.push(`  not available: ${result.unavailable}`);
  if (result.contestants) {
    const cells = [COLUMNS.map(([name]) => name), ...result.contestants.map((c) => COLUMNS.map(([, show]) => show(c)))];
    const widths = COLUMNS.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
    for (const row of cells)
      lines.push(`  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')}`);
    for (const c of result.contestants) if (c.problem) lines.push(`  ${c.label}: ${c.problem}`);
  }
  for (const { what, value, verdict: judged } of result.findings ?? []) lines.push(`  ${what}: ${value}${judged ? `  (${judged})` : ''}`);
  if (result.note) lines.push(`  ${result.note}`);
  if (result.output) lines.push(result.output);
  return `${lines.join('\n')}\n`;
}

const row = (cells) => `| ${cells.join(' | ')} |`;

/** The summary: one line a scenario, one column an engine. */
function ratioTable(results) {
  const pairs = results.filter((result) => result.engine && result.contestants?.some((c) => c.label === 'millrace'));
  const engines = [...new Set(pairs.map((result) => result.engine))];
  const titles = [...new Set(pairs.map((result) => result.title))];
  const cell = (title, engine) => {
    const result = pairs.find((candidate) => candidate.title === title && candidate.engine === engine);
    const ours = result?.contestants.find((c) => c.label === 'millrace');
    if (!ours) return '';
    const missed = ours.verdict?.endsWith('missed');
    return `${missed ? '' : '**'}${round(ours.ratio.median, 2)}${missed ? '' : '**'} (${round(ours.ratio.low, 2)}–${round(ours.ratio.high, 2)}), CPU ${round(ours.thrift?.median, 2)}`;
  };
  return [
    row(['', ...engines.map((engine) => ENGINE_NAMES[engine])]),
    row(['---', ...engines.map(() => '---')]),
    ...titles.map((title) => row([title, ...engines.map((engine) => cell(title, engine))])),
  ].join('\n');
}

function detailTable(result) {
  const names = COLUMNS.map(([name]) => name);
  return [
    row(names),
    row(names.map((_, i) => (i === 0 ? '---' : '--:'))),
    ...result.contestants.map((c) => row(COLUMNS.map(([, show]) => show(c)))),
  ].join('\n');
}

function detail(result) {
  const parts = [`### ${titleOf(result)}`];
  if (result.unavailable) parts.push(`Not available: ${result.unavailable}`);
  if (result.contestants) parts.push(detailTable(result));
  const findings = (result.findings ?? []).map(({ what, value, verdict: judged }) => `- ${what}: ${value}${judged ? ` (${judged})` : ''}`);
  if (findings.length > 0) parts.push(findings.join('\n'));
  if (result.note) parts.push(result.note);
  if (result.output) parts.push(`\`\`\`text\n${result.output.trimEnd()}\n\`\`\``);
  return parts.join('\n\n');
}

/** Rounds that differ so much say more about the machine than about the service. */
const WIDE = 1.5;

function steadiness(results) {
  const spreads = results.flatMap(({ contestants = [] }) => contestants.filter(({ ratio }) => ratio && ratio.low !== ratio.high));
  const wide = spreads.filter(({ ratio }) => ratio.high > ratio.low * WIDE).length;
  if (wide * 4 < spreads.length) return [];
  return [
    `**The machine was busy with other things:** in ${wide} of ${spreads.length} measurements the largest ratio is more than ${WIDE} times the smallest. Repeat the run when it is quiet.`,
  ];
}

/** The part that goes into docs/performance.md too. */
export function toMarkdown({ machine, settings, results }, plot) {
  return [
    `Run of ${machine.date} on ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load by ${settings.generator}: ${settings.rounds} interleaved rounds of ${settings.seconds} s, ${settings.connections} connections, ${settings.workers} worker.`,
    ...steadiness(results),
    `![Ratios to the yardstick](${plot})`,
    'Requests a second as a ratio to the yardstick (smallest and largest round in brackets), and how many times less CPU a request costs the service. Bold: the target is met, or none is set.',
    ratioTable(results),
    ...results.map(detail),
  ].join('\n\n');
}
