/** A chart with its legend and its data as a table. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Digits, type Exact } from '../../ui/exact.ts';
import { appLocale } from '../page/app-context.ts';
import { BlockBody, requireColumns, useReading } from '../page/block.tsx';
import type { Chart } from '../page/document.ts';
import { textOf } from '../page/fill.ts';
import { dataUrl, isTable, type Pair, readRows } from '../page/rows.ts';
import { formatTick, formatValue } from '../values/format.ts';
import { Value } from '../values/value.tsx';
import { type Point, type Points, pointsOf } from './chart-data.ts';
import type { TimeUnit } from './chart-scale.ts';
import { Legend } from './chart-series.tsx';

const DEFAULT_LIMIT = 1000;
const HEIGHT = 280;

async function readPoints(chart: Chart): Promise<Points> {
  const limit = chart.limit ?? DEFAULT_LIMIT;
  const table = isTable(chart.from);
  const paging: readonly Pair[] = table
    ? [
        ['pg', '0'],
        ['ps', String(limit)],
      ]
    : [];
  const { rows: all } = await readRows(await dataUrl(chart, paging));
  const rows = all.slice(0, limit);
  requireColumns(rows, columnsOf(chart));
  const points = pointsOf(chart, rows);
  if (chart.kind === 'pie' && points.points.some(({ height }) => height !== null && height < 0))
    throw new Error('A pie cannot show negative values.');
  const isCut = all.length > limit || (table && rows.length === limit && (await hasMore(chart, limit)));
  return isCut ? { ...points, notes: [...points.notes, `Only the first ${limit} rows are shown.`] } : points;
}

async function hasMore(chart: Chart, limit: number): Promise<boolean> {
  const { rows } = await readRows(
    await dataUrl(chart, [
      ['pg', String(limit)],
      ['ps', '1'],
    ]),
  );
  return rows.length > 0;
}

const ysOf = ({ y }: Chart): readonly string[] => (Array.isArray(y) ? (y as readonly string[]) : [y as string]);

const columnsOf = (chart: Chart): readonly string[] => [chart.x, ...ysOf(chart), ...(chart.series === undefined ? [] : [chart.series])];

export function ChartBlock({ chart, title }: { readonly chart: Chart; readonly title: string | undefined }) {
  const reading = useReading(chart, () => readPoints(chart));
  return (
    <BlockBody reading={reading} isEmpty={({ points }) => points.length === 0} empty="No rows.">
      {(data) => <Drawn chart={chart} data={data} title={title} />}
    </BlockBody>
  );
}

const textIn = (value: Exact, format: string | undefined): string => (value === null ? '—' : formatValue(value, format, appLocale()).text);

const sentenceOf = (chart: Chart, { points, series }: Points, title: string | undefined): string =>
  `${title ?? `${ysOf(chart).join(', ')} by ${chart.x}`}: a ${chart.kind} chart of ${points.length} values${series.length > 1 ? ` in ${series.length} series` : ''}.`;

const exactOf = (value: Date | number | string): Exact =>
  value instanceof Date ? dayOrInstant(value) : typeof value === 'number' ? new Digits(String(value)) : value;

const dayOrInstant = (value: Date): string => value.toISOString().replace(/T00:00:00\.000Z$/, '');

interface DrawnProps {
  readonly chart: Chart;
  readonly data: Points;
  readonly title: string | undefined;
}

function Drawn({ chart, data, title }: DrawnProps) {
  const [isTableShown, setTableShown] = useState(false);
  const names = chart.kind === 'pie' ? data.points.map(({ x }) => textIn(x, chart.x_format)) : data.series;
  return (
    <>
      {(names.length > 1 || chart.series !== undefined) && <Legend names={names} kind={chart.kind} />}
      <Picture chart={chart} data={data} label={sentenceOf(chart, data, title)} />
      {data.notes.map((note) => (
        <p key={note} class="faint">
          {note}
        </p>
      ))}
      <button
        type="button"
        class="plain chart-toggle"
        data-testid="chart-toggle"
        aria-expanded={isTableShown}
        onClick={() => setTableShown(!isTableShown)}
      >
        {isTableShown ? 'Hide the table' : 'Show as a table'}
      </button>
      <ChartTable chart={chart} data={data} isShown={isTableShown} />
    </>
  );
}

function Picture({ chart, data, label }: { readonly chart: Chart; readonly data: Points; readonly label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let isGone = false;
    let width = 0;
    const draw = async (): Promise<void> => {
      const { drawChart } = await import('./plot.ts');
      if (isGone || element.clientWidth === 0) return;
      width = element.clientWidth;
      try {
        element.replaceChildren(drawChart(chart, data, look(chart, width)));
      } catch (error) {
        setFailure(error instanceof Error ? error.message : String(error));
      }
    };
    const resize = new ResizeObserver(() => {
      if (Math.abs(element.clientWidth - width) > 1) void draw();
    });
    resize.observe(element);
    return () => {
      isGone = true;
      resize.disconnect();
    };
  }, [chart, data]);
  return (
    <>
      <div ref={box} class="chart" data-testid="chart" role="img" aria-label={label} style={{ height: `${HEIGHT}px` }} />
      {failure !== undefined && <p role="alert">{failure}</p>}
    </>
  );
}

function look(chart: Chart, width: number): Parameters<typeof import('./plot.ts').drawChart>[2] {
  const { format, x_format, stack } = chart;
  const formatY = (value: number): string =>
    stack === 'percent' ? textIn(new Digits(String(value)), 'percent.0') : textIn(new Digits(String(value)), axisFormat(format));
  const formatX = (value: Date | number | string, unit: TimeUnit): string => {
    if (x_format !== undefined) return textIn(exactOf(value), x_format);
    return value instanceof Date ? formatTick(value, unit, appLocale()) : String(value);
  };
  return {
    width,
    height: HEIGHT,
    formatY,
    formatX,
    titleOf: (point: Point) => `${textIn(point.x, x_format)}\n${point.series}: ${textIn(point.y, format)}`,
  };
}

/** Ticks are round numbers, which need no decimals of their own. */
const axisFormat = (format: string | undefined): string => {
  const [name = 'number', currency] = format?.split('.') ?? [];
  return name === 'currency' ? `currency.${currency}.0` : name === 'number' || format === undefined ? 'compact' : format;
};

function ChartTable({ chart, data, isShown }: { readonly chart: Chart; readonly data: Points; readonly isShown: boolean }) {
  const hasSeries = chart.series !== undefined || ysOf(chart).length > 1;
  return (
    <div class={`chart-data ${isShown ? 'table-box' : 'visually-hidden'}`} tabIndex={isShown ? 0 : undefined}>
      <table data-testid="chart-table">
        <thead>
          <tr>
            <th scope="col">{chart.x}</th>
            {hasSeries && <th scope="col">{chart.series ?? 'series'}</th>}
            <th scope="col" class="align-right">
              {ysOf(chart).length > 1 ? 'value' : ysOf(chart)[0]}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.points.map((point, at) => (
            <tr key={`${at} ${textOf(point.x)}`}>
              <td>
                <Value value={point.x} format={chart.x_format} />
              </td>
              {hasSeries && <td>{point.series}</td>}
              <td class="align-right">
                <Value value={point.y} format={chart.format} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
