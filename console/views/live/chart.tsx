/** A small chart over time. uPlot is loaded when the first one is shown. */
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { shownTheme } from '../../app/theme.ts';

export interface Line {
  readonly label: string;
  /** Custom property of its colour. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

const HEIGHT = 160;
/** Length of the axis of time. */
export const SHOWN_SECONDS = 300;

export function Chart({ title, times, lines }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const theme = shownTheme();
  const data = [[...times], ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let isGone = false;
    const resize = new ResizeObserver(
      ([entry]) => entry !== undefined && plot.current?.setSize({ width: entry.contentRect.width, height: HEIGHT }),
    );
    void loadPlot().then((Plot) => {
      if (isGone) return;
      plot.current = new Plot(options(element, lines), latest.current, element);
      resize.observe(element);
    });
    return () => {
      isGone = true;
      resize.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [theme]);
  useEffect(() => plot.current?.setData(data));
  return (
    <figure class="live-chart">
      <figcaption>
        <span class="label">{title}</span>
        {lines.map(({ label, color }) => (
          <span key={label} class="legend">
            <i style={{ background: `var(${color})` }} /> {label}
          </span>
        ))}
      </figcaption>
      <div ref={box} class="live-plot" aria-hidden="true" />
    </figure>
  );
}

const clockOf = (seconds: number): string => new Date(seconds * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

async function loadPlot(): Promise<typeof uPlot> {
  const [module] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  return module.default;
}

function options(element: HTMLElement, lines: readonly Line[]): uPlot.Options {
  const styles = getComputedStyle(element);
  const color = (name: string): string => styles.getPropertyValue(name).trim();
  const axis = { stroke: color('--fg-muted'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, __, max) => [(max ?? 0) - SHOWN_SECONDS, max ?? 0] },
      y: { range: (_, __, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, incrs: [60], values: (_, seconds) => seconds.map(clockOf) },
      { ...axis, size: 48 },
    ],
    series: [{}, ...lines.map((line) => ({ label: line.label, stroke: color(line.color), width: 1.5, points: { show: false } }))],
  };
}
