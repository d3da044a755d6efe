// Formats results as a table for the terminal, as Markdown, and as JSON. No I/O.
import { ENGINE_NAMES } from './engines.mjs';
import { MOST_STOLEN } from './measure.mjs';

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
  ['at half the rate', (c) => (c.half ? `${round(c.half.rate, 0)}/s` : '')],
  ['its p50', (c) => millis(c.half?.p50)],
  ['its p99', (c) => `${millis(c.half?.p99)}${c.half?.isLate ? ' (worse)' : ''}`],
  ['its p99.9', (c) => millis(c.half?.p999)],
  ['RSS', (c) => megabytes(c.rss)],
  ['targets', (c) => (c.verdicts ?? []).join('; ')],
];

export const judge = (holds, words) => `${words}: ${holds ? 'met' : 'missed'}`;

/** Maximum memory as a multiple of the yardstick's. */
const MOST_GIRTH = 1.3;

/** Maximum p99 at half the rate, as a multiple of p50. */
const MOST_TAIL = 10;

/**
 * Compares results with targets. A contestant beside a yardstick must not have a higher p99 or much
 * more memory.
 */
export function verdicts(target, contestant) {
  const judged = [];
  for (const [kind, least] of Object.entries(target ?? {})) {
    const reached = contestant[kind]?.median;
    if (reached !== undefined) judged.push(judge(reached >= least, `${kind} ≥ ${round(least, 2)}`));
  }
  if (contestant.label === 'millrace') {
    judged.push(judge(!contestant.isLate, 'p99'));
    if (contestant.half) {
      const { isLate, p50, p99 } = contestant.half;
      judged.push(judge(!isLate, 'at half the rate'), judge(p99 < p50 * MOST_TAIL, `under ${MOST_TAIL} times its p50`));
    }
    if (contestant.girth) judged.push(judge(contestant.girth <= MOST_GIRTH, `RSS ${round(contestant.girth, 2)}`));
  }
  return judged;
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

/** Summary: a line per scenario, a column per engine. */
function ratioTable(results) {
  const pairs = results.filter((result) => result.engine && result.contestants?.some((c) => c.label === 'millrace'));
  const engines = [...new Set(pairs.map((result) => result.engine))];
  const titles = [...new Set(pairs.map((result) => result.title))];
  const cell = (title, engine) => {
    const result = pairs.find((candidate) => candidate.title === title && candidate.engine === engine);
    const ours = result?.contestants.find((c) => c.label === 'millrace');
    if (!ours) return '';
    const missed = ours.verdicts.some((words) => words.startsWith('ratio') && words.endsWith('missed'));
    return `${missed ? '' : '**'}${round(ours.ratio.median, 2)}${missed ? '' : '**'} (${round(ours.ratio.low, 2)}–${round(ours.ratio.high, 2)}), CPU ${round(ours.thrift?.median, 2)}`;
  };
  return [
    row(['', ...engines.map((engine) => ENGINE_NAMES[engine])]),
    row(['---', ...engines.map(() => '---')]),
    ...titles.map((title) => row([title, ...engines.map((engine) => cell(title, engine))])),
  ].join('\n');
}

/** All contests of one engine; the name of a scenario is on its first line. */
function contestTable(results) {
  const names = ['scenario', ...COLUMNS.map(([name]) => name)];
  const lines = results.flatMap(({ title, contestants }) =>
    contestants.map((c, i) => row([i === 0 ? title : '', ...COLUMNS.map(([, show]) => show(c))])),
  );
  return [row(names), row(names.map((_, i) => (i < 2 ? '---' : '--:'))), ...lines].join('\n');
}

function detail(result) {
  const parts = [`**${result.title}**`];
  if (result.unavailable) parts.push(`Not available: ${result.unavailable}`);
  const problems = (result.contestants ?? []).filter(({ problem }) => problem).map(({ label, problem }) => `- ${label}: ${problem}`);
  const findings = (result.findings ?? []).map(({ what, value, verdict: judged }) =>
    wrap(`- ${what}: ${value}${judged ? ` (${judged})` : ''}`),
  );
  if (problems.length + findings.length > 0) parts.push([...problems, ...findings].join('\n'));
  if (result.note) parts.push(result.note);
  if (result.output) parts.push(`\`\`\`text\n${result.output.trimEnd()}\n\`\`\``);
  return parts.length > 1 ? [parts.join('\n\n')] : [];
}

function engineSection(engine, results) {
  const contests = results.filter(({ contestants }) => contestants);
  return [`### ${ENGINE_NAMES[engine]}`, ...(contests.length > 0 ? [contestTable(contests)] : []), ...results.flatMap(detail)].join('\n\n');
}

/** Missed targets by kind. */
function shortfalls(results) {
  const judged = results.flatMap(({ title, engine, contestants = [], findings = [] }) => [
    ...contestants.flatMap(({ verdicts: words = [] }) => words.map((text) => ({ text, where: `${ENGINE_NAMES[engine]} ${title}` }))),
    ...findings.flatMap(({ what, verdict: words }) =>
      (words?.split('; ') ?? []).map((text) => ({ text, isFound: true, where: `${ENGINE_NAMES[engine]} ${title}, ${what}` })),
    ),
  ]);
  const kinds = [
    ['ratio or thrift', ({ text, isFound }) => !isFound && /^(ratio|thrift)/.test(text)],
    ['p99 no worse than the yardstick’s, flat out', ({ text, isFound }) => !isFound && text.startsWith('p99')],
    ['p99 no worse than the yardstick’s, at half the rate', ({ text, isFound }) => !isFound && text.startsWith('at half')],
    [`p99 at half the rate under ${MOST_TAIL} times p50`, ({ text, isFound }) => !isFound && text.startsWith('under')],
    [`RSS at most ${MOST_GIRTH} times the yardstick’s`, ({ text, isFound }) => !isFound && text.startsWith('RSS')],
    ['costs, memory, documents, streams', ({ isFound }) => isFound],
  ];
  return kinds
    .map(([kind, isOfIt]) => [kind, judged.filter(isOfIt)])
    .filter(([, own]) => own.length > 0)
    .map(([kind, own]) => {
      const missed = own.filter(({ text }) => text.endsWith('missed')).map(({ where }) => where);
      return `- ${kind}: met in ${own.length - missed.length} of ${own.length}${missed.length > 0 ? `; not in: ${missed.join(', ')}` : ''}`;
    })
    .join('\n');
}

/** Ratio of the largest to the smallest round beyond which the machine was too busy. */
const WIDE = 1.5;

/** Outside of containers, Linux gives each PostgreSQL session its own scheduling group. */
function grouping({ hasAutogroups }) {
  if (!hasAutogroups) return [];
  return [
    'The kernel groups processes by session (`kernel.sched_autogroup_enabled`), and each connection of PostgreSQL is one, so single requests wait for tens of milliseconds on both sides.',
  ];
}

/** Share of CPU time that the host gave to other machines during the counted rounds. */
function disturbance(results, repeated) {
  const stolen = results.flatMap(({ contestants = [] }) => contestants.flatMap(({ rounds }) => rounds.map((round) => round.stolen)));
  if (repeated === 0 && !stolen.some((share) => share >= 0.005)) return [];
  const mean = stolen.reduce((sum, share) => sum + share, 0) / stolen.length;
  const disturbed = stolen.filter((share) => share > MOST_STOLEN).length;
  return [
    `The host gave ${(mean * 100).toFixed(1)} % of the CPU time to other machines. ${repeated} rounds were repeated because of it; in ${disturbed} of ${stolen.length} counted measurements it was more than ${MOST_STOLEN * 100} %.`,
  ];
}

function steadiness(results) {
  const spreads = results.flatMap(({ contestants = [] }) => contestants.filter(({ ratio }) => ratio && ratio.low !== ratio.high));
  const wide = spreads.filter(({ ratio }) => ratio.high > ratio.low * WIDE).length;
  if (wide * 4 < spreads.length) return [];
  return [
    `**The machine was busy:** in ${wide} of ${spreads.length} measurements the largest ratio is more than ${WIDE} times the smallest. Repeat the run when it is quiet.`,
  ];
}

const COLUMNS_OF_PROSE = 100;

/** Breaks a paragraph into lines; those after the first one of a list item are indented. */
function wrap(text) {
  const indent = text.startsWith('- ') ? '  ' : '';
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (lines[last].length + word.length >= COLUMNS_OF_PROSE) lines.push(`${indent}${word}`);
    else lines[last] += lines[last] === '' ? word : ` ${word}`;
  }
  return lines.join('\n');
}

/** The part that is also written into the documentation. */
export function toMarkdown({ machine, settings, results, minutes, repeated = 0 }) {
  const engines = [...new Set(results.map(({ engine }) => engine))];
  return [
    wrap(
      `Run of ${machine.date} on ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load by ${settings.generator}: ${settings.rounds} interleaved rounds of ${settings.seconds} s, ${settings.connections} connections, ${settings.workers} worker; ${minutes} minutes in all.`,
    ),
    ...[...grouping(machine), ...disturbance(results, repeated), ...steadiness(results)].map(wrap),
    shortfalls(results).split('\n').map(wrap).join('\n'),
    wrap(
      'Requests a second as a ratio to the yardstick (smallest and largest round in brackets), and CPU time of the yardstick as a multiple of the service’s. Bold: the target is met, or there is no target.',
    ),
    ratioTable(results),
    ...engines.map((engine) =>
      engineSection(
        engine,
        results.filter((result) => result.engine === engine),
      ),
    ),
  ].join('\n\n');
}
