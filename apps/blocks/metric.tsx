/** A number, its comparison and its trend. */
import { add, compareDecimals, type Decimal, divide, parseDecimal, subtract, writeDecimal } from '../../ui/decimal.ts';
import { Digits, type Exact } from '../../ui/exact.ts';
import { appLocale } from '../page/app-context.ts';
import { BlockBody, requireColumns, useReading } from '../page/block.tsx';
import type { Data, Metric } from '../page/document.ts';
import { type Row, textOf, valueAt } from '../page/fill.ts';
import { dataUrl, isTable, type Pair, readRows } from '../page/rows.ts';
import { formatValue } from '../values/format.ts';
import { Value } from '../values/value.tsx';
import { AppLink } from './link.tsx';
import { Sparkline } from './sparkline.tsx';

const AGGREGATE = /^(count|sum|avg|min|max|countd)(?:\.(.+))?$/;
const AVERAGE_PLACES = 6;
/** A share that is shown in percent with one digit. */
const PERCENT_PLACES = 3;
const MAX_ROWS = 10_000;

interface Answer {
  readonly value: Exact;
  readonly compared: Exact | undefined;
  readonly trend: readonly Exact[] | undefined;
}

const isAggregate = (value: string): boolean => value === 'count' || (AGGREGATE.test(value) && value.includes('.'));

const isGrouped = ({ group = [], agg = [] }: Data): boolean => group.length + agg.length > 0;

/** The database computes the value of a table; rows of an endpoint and groups are summed here. */
async function readValue(data: Data, value: string): Promise<Exact> {
  if (!isTable(data.from) || isGrouped(data)) return computed((await readAll(data)).rows, value);
  if (!isAggregate(value)) {
    const { rows } = await readRows(
      await dataUrl(data, [
        ['pg', '0'],
        ['ps', '1'],
      ]),
    );
    requireColumns(rows, [value]);
    return rows[0] === undefined ? null : (valueAt(rows[0], value) ?? null);
  }
  const own: Data = { ...data, order: [], expand: [], group: [], agg: [`value:${value}`] };
  const { rows } = await readRows(
    await dataUrl(own, [
      ['pg', '0'],
      ['ps', '1'],
    ]),
  );
  return rows[0]?.['value'] ?? null;
}

async function readAll(data: Data): Promise<{ readonly rows: readonly Row[] }> {
  const more: readonly Pair[] = isTable(data.from)
    ? [
        ['pg', '0'],
        ['ps', String(MAX_ROWS)],
      ]
    : [];
  return readRows(await dataUrl(data, more));
}

/** Computes an aggregate exactly. */
function computed(rows: readonly Row[], value: string): Exact {
  if (!isAggregate(value)) {
    requireColumns(rows, [value]);
    return rows[0] === undefined ? null : (valueAt(rows[0], value) ?? null);
  }
  const [, name = '', column] = AGGREGATE.exec(value) ?? [];
  if (column === undefined) return digits({ units: BigInt(rows.length), scale: 0 });
  requireColumns(rows, [column]);
  const present = rows.map((row) => valueAt(row, column)).filter((item): item is Exact => item !== undefined && item !== null);
  return AGGREGATES[name]?.(present) ?? null;
}

const digits = (value: Decimal): Digits => new Digits(writeDecimal(value));

function decimals(values: readonly Exact[]): readonly Decimal[] {
  return values.map((value) => {
    const decimal = parseDecimal(textOf(value));
    if (decimal === undefined) throw new Error(`"${textOf(value)}" is not a number.`);
    return decimal;
  });
}

const sumOf = (values: readonly Exact[]): Decimal => decimals(values).reduce(add, { units: 0n, scale: 0 });

const AGGREGATES: Readonly<Record<string, (values: readonly Exact[]) => Exact>> = {
  count: (values) => digits({ units: BigInt(values.length), scale: 0 }),
  countd: (values) => digits({ units: BigInt(new Set(values.map(textOf)).size), scale: 0 }),
  sum: (values) => (values.length === 0 ? null : digits(sumOf(values))),
  avg: (values) => (values.length === 0 ? null : digits(divide(sumOf(values), { units: BigInt(values.length), scale: 0 }, AVERAGE_PLACES))),
  min: (values) => extreme(values, -1),
  max: (values) => extreme(values, 1),
};

function extreme(values: readonly Exact[], sign: number): Exact {
  if (values.length === 0) return null;
  return values.reduce((best, value) => (compareValues(value, best) * sign > 0 ? value : best));
}

function compareValues(a: Exact, b: Exact): number {
  const [left, right] = [parseDecimal(textOf(a)), parseDecimal(textOf(b))];
  if (left !== undefined && right !== undefined) return compareDecimals(left, right);
  return textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0;
}

/** The value by the trend's column, in order. */
async function readTrend(metric: Metric, trend: string): Promise<readonly Exact[]> {
  if (isTable(metric.from) && !isGrouped(metric) && isAggregate(metric.value)) {
    const data: Data = { ...metric, expand: [], order: ['trend'], group: [`trend:${trend}`], agg: [`value:${metric.value}`] };
    const { rows } = await readRows(
      await dataUrl(data, [
        ['pg', '0'],
        ['ps', '1000'],
      ]),
    );
    return rows.map((row) => row['value'] ?? null);
  }
  const { rows } = await readAll(metric);
  requireColumns(rows, [trend]);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = textOf(valueAt(row, trend) ?? null);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].sort(([a], [b]) => compareValues(a, b)).map(([, members]) => computed(members, metric.value));
}

async function readMetric(metric: Metric): Promise<Answer> {
  const { compare, trend } = metric;
  const other = compare === undefined ? undefined : readValue({ ...metric, ...compare }, compare.value ?? metric.value);
  const [value, compared, points] = await Promise.all([
    readValue(metric, metric.value),
    other,
    trend === undefined ? undefined : readTrend(metric, trend),
  ]);
  return { value, compared, trend: points };
}

export function MetricBlock({ metric }: { readonly metric: Metric }) {
  const reading = useReading(metric, () => readMetric(metric));
  const label = metric.label ?? metric.value;
  return (
    <BlockBody reading={reading}>
      {({ value, compared, trend }) => (
        <div class="metric">
          <p class="metric-label">{metric.link === undefined ? label : <AppLink link={metric.link}>{label}</AppLink>}</p>
          <p class="metric-value" data-testid="metric-value">
            <Value value={value} format={metric.format} />
          </p>
          {compared !== undefined && <Comparison metric={metric} value={value} base={compared} />}
          {trend !== undefined && <Sparkline values={trend} label={`${label}, ${trend.length} points`} />}
        </div>
      )}
    </BlockBody>
  );
}

const decimalOf = (value: Exact): Decimal | undefined => (value === null ? undefined : parseDecimal(textOf(value)));

function Comparison({ metric, value, base }: { readonly metric: Metric; readonly value: Exact; readonly base: Exact }) {
  const [now, before] = [decimalOf(value), decimalOf(base)];
  const label = metric.compare?.label;
  if (now === undefined || before === undefined)
    return (
      <p class="metric-compare" data-testid="metric-compare">
        <span data-null="">—</span> {label}
      </p>
    );
  const difference = subtract(now, before);
  const sign = difference.units === 0n ? 0 : difference.units < 0n ? -1 : 1;
  const isGood = (metric.better ?? 'up') === 'none' || sign === 0 ? undefined : (metric.better ?? 'up') === (sign > 0 ? 'up' : 'down');
  const { text } = formatValue(new Digits(writeDecimal(difference)), metric.format, appLocale());
  const percent = before.units === 0n ? undefined : divide(difference, absolute(before), PERCENT_PLACES);
  return (
    <p class={`metric-compare ${isGood === undefined ? '' : isGood ? 'is-good' : 'is-bad'}`} data-testid="metric-compare">
      <span aria-hidden="true">{sign > 0 ? '▲' : sign < 0 ? '▼' : '='}</span> {sign > 0 ? '+' : ''}
      {text}
      {percent !== undefined && ` (${sign > 0 ? '+' : ''}${formatValue(new Digits(writeDecimal(percent)), 'percent.1', appLocale()).text})`}
      {label !== undefined && <span class="metric-base"> {label}</span>}
    </p>
  );
}

const absolute = ({ units, scale }: Decimal): Decimal => ({ units: units < 0n ? -units : units, scale });
