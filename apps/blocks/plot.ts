/** Draws a chart as SVG. Loaded only for pages with charts. */
import * as Plot from '@observablehq/plot';
import { arc, pie } from 'd3-shape';
import type { Chart } from '../page/document.ts';
import type { Point, Points } from './chart-data.ts';
import { type TimeUnit, timeBands, timeTicks, valueScale } from './chart-scale.ts';
import { DASHES, fillOf, strokeOf } from './chart-series.tsx';

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly formatY: (value: number) => string;
  /** Names a tick of time by its unit, another one by its value. */
  readonly formatX: (value: Date | number | string, unit: TimeUnit) => string;
  readonly titleOf: (point: Point) => string;
}

const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye', 'times'] as const;
/** Average width of a letter of an axis. */
const LETTER = 6.4;
const MAX_NAME = 22;
const RIGHT = 30;

type At = Point['at'];

/** The axis of x: its values where it is divided into bands, else its ticks. */
interface Across {
  readonly bands: readonly At[] | undefined;
  readonly ticks: readonly At[] | undefined;
  readonly unit: TimeUnit;
}

export function drawChart(chart: Chart, data: Points, look: Look): SVGSVGElement {
  if (chart.kind === 'pie') return drawPie(data, look);
  const { series, scale } = data;
  // Lines of a continuous axis go from left to right, whatever the order of the rows.
  const points = scale === 'categories' ? data.points : data.points.toSorted((a, b) => Number(a.at) - Number(b.at));
  const isFilled = chart.kind === 'bar' || chart.kind === 'area';
  const drawn = Plot.plot({
    width: look.width,
    height: look.height,
    marginTop: 12,
    marginRight: RIGHT,
    style: { background: 'none', color: 'var(--fg-muted)', fontFamily: 'inherit', fontSize: '11px', overflow: 'visible' },
    color: { type: 'ordinal', domain: [...series], range: series.map((_, at) => (isFilled ? fillOf(at) : strokeOf(at))) },
    symbol: { domain: [...series], range: series.map((_, at) => SYMBOLS[at % SYMBOLS.length] ?? 'circle') },
    ...axes(chart, { ...data, points }, look),
    marks: marks(chart, points, series, look),
  });
  const svg = drawn instanceof SVGSVGElement ? drawn : drawn.querySelector('svg');
  if (svg === null) throw new Error('The chart could not be drawn.');
  // Plot's own style element would violate the policy of the page.
  for (const style of svg.querySelectorAll('style')) style.remove();
  // The picture has one name; its groups may not have names of their own.
  for (const group of svg.querySelectorAll('[aria-label], [aria-description]')) {
    group.classList.add((group.getAttribute('aria-label') ?? 'unnamed').replaceAll(' ', '-'));
    for (const name of ['aria-label', 'aria-description']) group.removeAttribute(name);
  }
  return svg;
}

const isStacked = ({ stack, kind }: Chart): boolean => (stack ?? kind === 'area') !== false;
const isGrouped = (chart: Chart, series: readonly string[]): boolean => chart.kind === 'bar' && !isStacked(chart) && series.length > 1;

function axes(chart: Chart, { scale, points, series }: Points, look: Look): Plot.PlotOptions {
  const values = valueScaleOf(chart, points);
  const value = {
    label: null,
    grid: true,
    tickSize: 0,
    domain: [...values.domain],
    ticks: [...values.ticks],
    tickFormat: look.formatY as (value: unknown) => string,
  };
  const across = acrossOf(chart, scale, points);
  const nameOf = (at: At): string => shorten(look.formatX(at, across.unit));
  const widest = (names: readonly string[]): number => Math.ceil(12 + LETTER * Math.max(2, ...names.map((name) => name.length)));
  const valueNames = values.ticks.map(look.formatY);
  const isHorizontal = chart.horizontal === true;
  const bandNames = (across.bands ?? []).map(nameOf);
  const marginLeft = widest(isHorizontal ? bandNames : valueNames);
  const room = look.width - marginLeft - RIGHT;
  const ticks = isHorizontal || across.bands === undefined ? across.ticks : thinned(across.bands, bandNames, room);
  const axis = {
    label: null,
    tickSize: 0,
    ...(across.bands === undefined ? {} : { domain: [...across.bands] }),
    ...(ticks === undefined ? {} : { ticks: [...ticks] }),
    ...(scale === 'time' && across.bands === undefined ? { type: 'utc' as const } : {}),
    tickFormat: nameOf as (value: unknown) => string,
  };
  if (!isGrouped(chart, series)) return isHorizontal ? { marginLeft, x: value, y: axis } : { marginLeft, x: axis, y: value };
  const inner = { axis: null, domain: [...series] };
  return isHorizontal ? { marginLeft, x: value, y: inner, fy: axis } : { marginLeft, x: inner, y: value, fx: axis };
}

const shorten = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name);

/** Names of many bands are shown for some only. */
function thinned(bands: readonly At[], names: readonly string[], room: number): readonly At[] {
  const width = LETTER * Math.max(...names.map((name) => name.length)) + 12;
  const step = Math.ceil(bands.length / Math.max(1, Math.floor(room / width)));
  return bands.filter((_, at) => at % step === 0);
}

function acrossOf(chart: Chart, scale: Points['scale'], points: readonly Point[]): Across {
  const ats = points.map(({ at }) => at);
  const dates = ats.filter((at) => at instanceof Date);
  if (scale === 'time' && chart.kind === 'bar') {
    const { dates: bands, unit } = timeBands(dates);
    return { bands, ticks: undefined, unit };
  }
  const [first, last] = [dates[0], dates.at(-1)];
  if (scale === 'time' && first !== undefined && last !== undefined) return { bands: undefined, ...timeTicks(first, last) };
  if (scale === 'linear' && chart.kind !== 'bar') {
    const numbers = ats.filter((at) => typeof at === 'number');
    return { bands: undefined, ticks: valueScale(numbers, false).ticks, unit: 'day' };
  }
  return { bands: [...new Set(ats)], ticks: undefined, unit: 'day' };
}

function valueScaleOf(chart: Chart, points: readonly Point[]): ReturnType<typeof valueScale> {
  if (chart.stack === 'percent') return { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] };
  const isFilled = chart.kind === 'bar' || chart.kind === 'area';
  const heights = points.flatMap(({ height }) => height ?? []);
  if (!isFilled || !isStacked(chart)) return valueScale(heights, isFilled);
  const totals = new Map<string, number>();
  for (const { at, height } of points) {
    const key = `${Number(height) < 0} ${String(at instanceof Date ? at.getTime() : at)}`;
    totals.set(key, (totals.get(key) ?? 0) + (height ?? 0));
  }
  return valueScale([...totals.values()], true);
}

function marks(chart: Chart, points: readonly Point[], series: readonly string[], look: Look): Plot.Markish[] {
  const present = points.filter(({ height }) => height !== null);
  const tip = { title: look.titleOf };
  const ofSeries = (name: string): Point[] => points.filter((point) => point.series === name);
  const offset = chart.stack === 'percent' ? ({ offset: 'normalize' } as const) : {};
  const zero = chart.horizontal === true ? Plot.ruleX([0]) : Plot.ruleY([0]);
  switch (chart.kind) {
    case 'bar':
      return [bars(chart, present, look, isGrouped(chart, series)), zero];
    case 'area':
      return isStacked(chart)
        ? [Plot.areaY(runsOf(points), Plot.stackY(offset, { x: 'at', y: 'height', fill: 'series', z: 'run', ...tip })), zero]
        : [
            ...series.map((name, at) =>
              Plot.areaY(ofSeries(name), { x: 'at', y1: 0, y2: 'height', fill: strokeOf(at), fillOpacity: 0.25, ...tip }),
            ),
            ...series.map((name, at) => line(ofSeries(name), at, look)),
            zero,
          ];
    case 'scatter':
      return [Plot.dot(present, { x: 'at', y: 'height', stroke: 'series', symbol: 'series', r: 3.5, strokeWidth: 1.5, ...tip })];
    default:
      return [
        ...series.map((name, at) => line(ofSeries(name), at, look)),
        // A point between two gaps has no line.
        Plot.dot(present, { x: 'at', y: 'height', fill: 'series', r: present.length <= 60 ? 2.5 : 1, ...tip }),
      ];
  }
}

const line = (points: Point[], at: number, look: Look): Plot.Markish =>
  Plot.lineY(points, {
    x: 'at',
    y: 'height',
    stroke: strokeOf(at),
    strokeWidth: 2,
    strokeDasharray: DASHES[at % DASHES.length] ?? 'none',
    title: look.titleOf,
  });

/** Stacked points without gaps; after a gap, a series goes on as another run. */
function runsOf(points: readonly Point[]): readonly (Point & { readonly run: string })[] {
  const gaps = new Map<string, number>();
  return points.flatMap((point) => {
    const gap = gaps.get(point.series) ?? 0;
    if (point.height === null) gaps.set(point.series, gap + 1);
    return point.height === null ? [] : [{ ...point, run: `${point.series} ${gap}` }];
  });
}

function bars(chart: Chart, points: readonly Point[], look: Look, isSideBySide: boolean): Plot.Markish {
  const isHorizontal = chart.horizontal === true;
  const options = {
    fill: 'series',
    title: look.titleOf,
    ...(isHorizontal ? { insetTop: 1, insetBottom: 1 } : { insetLeft: 1, insetRight: 1 }),
  };
  if (isSideBySide)
    return isHorizontal
      ? Plot.barX(points, { y: 'series', fy: 'at', x: 'height', ...options })
      : Plot.barY(points, { x: 'series', fx: 'at', y: 'height', ...options });
  const offset = chart.stack === 'percent' ? ({ offset: 'normalize' } as const) : {};
  return isHorizontal
    ? Plot.barX(points, Plot.stackX(offset, { y: 'at', x: 'height', ...options }))
    : Plot.barY(points, Plot.stackY(offset, { x: 'at', y: 'height', ...options }));
}

const SVG = 'http://www.w3.org/2000/svg';
const PIE_INSET = 0.6;

function drawPie({ points }: Points, { width, height, titleOf }: Look): SVGSVGElement {
  const radius = Math.min(width, height) / 2 - 4;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `${-width / 2} ${-height / 2} ${width} ${height}`);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  const path = arc()
    .innerRadius(radius * PIE_INSET)
    .outerRadius(radius)
    .padAngle(0.01);
  const slices = pie<Point>()
    .sort(null)
    .value(({ height: size }) => size ?? 0)([...points]);
  for (const [at, slice] of slices.entries()) {
    const element = document.createElementNS(SVG, 'path');
    element.setAttribute('d', path(slice) ?? '');
    element.setAttribute('fill', fillOf(at));
    const title = document.createElementNS(SVG, 'title');
    title.textContent = titleOf(slice.data);
    element.append(title);
    svg.append(element);
  }
  return svg;
}
