/** Draws a chart as SVG. Loaded only for pages with charts. */
import * as Plot from '@observablehq/plot';
import { arc, pie } from 'd3-shape';
import type { Chart } from '../page/document.ts';
import type { Point, Points } from './chart-data.ts';

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly formatY: (value: number) => string;
  readonly formatX: ((value: Date | number | string) => string) | undefined;
  readonly titleOf: (point: Point) => string;
}

export const colorOf = (at: number): string => `var(--series-${(at % 8) + 1})`;
/** Series differ by more than colour. */
const DASHES = ['none', '6 3', '2 3', '8 3 2 3', '1 2', '10 4', '4 2 1 2', '12 2'];
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye', 'times'] as const;
const TICKS = 5;
const WIDE_LABEL = 8;

export function drawChart(chart: Chart, data: Points, look: Look): SVGSVGElement {
  if (chart.kind === 'pie') return drawPie(data, look);
  const { series, scale } = data;
  const drawn = Plot.plot({
    width: look.width,
    height: look.height,
    marginLeft: chart.horizontal === true ? 96 : 56,
    marginRight: 12,
    style: { background: 'none', color: 'var(--fg-muted)', fontFamily: 'inherit', fontSize: '11px', overflow: 'visible' },
    color: { type: 'categorical', domain: [...series], range: series.map((_, at) => colorOf(at)) },
    symbol: { domain: [...series], range: series.map((_, at) => SYMBOLS[at % SYMBOLS.length] ?? 'circle') },
    ...axes(chart, data, look),
    marks: marks(chart, data, look, scale === 'categories'),
  });
  const svg = drawn instanceof SVGSVGElement ? drawn : drawn.querySelector('svg');
  if (svg === null) throw new Error('The chart could not be drawn.');
  // Plot's own style element would violate the policy of the page.
  for (const style of svg.querySelectorAll('style')) style.remove();
  return svg;
}

function axes(chart: Chart, { scale, points }: Points, look: Look): Plot.PlotOptions {
  const isBand = scale === 'categories' || (chart.kind === 'bar' && scale !== 'linear');
  const category = {
    label: null,
    tickSize: 0,
    ...(scale === 'categories' ? { domain: [...new Set(points.map(({ at }) => at))] } : {}),
    ...(scale === 'time' && !isBand ? { ticks: TICKS, type: 'utc' as const } : {}),
    ...(look.formatX === undefined ? {} : { tickFormat: look.formatX as (value: unknown) => string }),
  };
  const value = { label: null, grid: true, ticks: TICKS, tickSize: 0, tickFormat: look.formatY as (value: unknown) => string, nice: true };
  return chart.horizontal === true ? { x: value, y: category } : { x: thinned(category, chart, points, look), y: value };
}

/** Names of many categories are shown for some only. */
function thinned<T extends object>(axis: T, chart: Chart, points: readonly Point[], look: Look): T & { ticks?: unknown } {
  if (chart.kind !== 'bar') return axis;
  const values = [...new Map(points.map(({ at }) => [String(at instanceof Date ? at.getTime() : at), at])).values()];
  const fits = Math.max(2, Math.floor(look.width / (WIDE_LABEL * 8)));
  const step = Math.ceil(values.length / fits);
  return step <= 1 ? axis : { ...axis, ticks: values.filter((_, at) => at % step === 0) };
}

function marks(chart: Chart, { points, series }: Points, look: Look, isCategorical: boolean): Plot.Markish[] {
  const present = points.filter(({ height }) => height !== null);
  const tip = { title: look.titleOf };
  const isStacked = chart.stack ?? chart.kind === 'area';
  const offset = chart.stack === 'percent' ? ({ offset: 'normalize' } as const) : {};
  switch (chart.kind) {
    case 'bar':
      return [
        bars(chart, present, look, isStacked !== false, series.length),
        chart.horizontal === true ? Plot.ruleX([0]) : Plot.ruleY([0]),
      ];
    case 'area':
      return isStacked === false
        ? [
            Plot.areaY(present, { x: 'at', y1: 0, y2: 'height', fill: 'series', fillOpacity: 0.35, z: 'series' }),
            Plot.lineY(points, { x: 'at', y: 'height', stroke: 'series', z: 'series', ...tip }),
            Plot.ruleY([0]),
          ]
        : [Plot.areaY(present, Plot.stackY(offset, { x: 'at', y: 'height', fill: 'series', z: 'series', ...tip })), Plot.ruleY([0])];
    case 'scatter':
      return [Plot.dot(present, { x: 'at', y: 'height', stroke: 'series', symbol: 'series', r: 3.5, ...tip })];
    default:
      return [
        ...series.map((name, at) =>
          Plot.lineY(
            points.filter((point) => point.series === name),
            { x: 'at', y: 'height', stroke: colorOf(at), strokeWidth: 2, strokeDasharray: DASHES[at] ?? 'none', ...tip },
          ),
        ),
        ...(isCategorical || points.length <= 60 ? [Plot.dot(present, { x: 'at', y: 'height', fill: 'series', r: 2, ...tip })] : []),
      ];
  }
}

function bars(chart: Chart, points: readonly Point[], look: Look, isStacked: boolean, count: number): Plot.Markish {
  const tip = { title: look.titleOf };
  const options = { fill: 'series', insetLeft: 1, insetRight: 1, ...tip };
  if (!isStacked && count > 1)
    return chart.horizontal === true
      ? Plot.barX(points, { y: 'series', fy: 'at', x: 'height', fill: 'series', ...tip })
      : Plot.barY(points, { x: 'series', fx: 'at', y: 'height', ...options });
  const offset = chart.stack === 'percent' ? ({ offset: 'normalize' } as const) : {};
  return chart.horizontal === true
    ? Plot.barX(points, Plot.stackX(offset, { y: 'at', x: 'height', fill: 'series', insetTop: 1, insetBottom: 1, ...tip }))
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
    element.setAttribute('fill', colorOf(at));
    const title = document.createElementNS(SVG, 'title');
    title.textContent = titleOf(slice.data);
    element.append(title);
    svg.append(element);
  }
  return svg;
}
