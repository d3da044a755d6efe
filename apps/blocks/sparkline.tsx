/** A small line without axes. Positions are approximate; values are never read from it. */
import type { Exact } from '../../ui/exact.ts';
import { textOf } from '../page/fill.ts';

const WIDTH = 160;
const HEIGHT = 32;

export function Sparkline({ values, label }: { readonly values: readonly Exact[]; readonly label: string }) {
  const heights = values.map((value) => (value === null ? Number.NaN : Number(textOf(value)))).filter((value) => !Number.isNaN(value));
  if (heights.length < 2) return <div class="metric-trend" data-testid="metric-trend" role="img" aria-label={label} />;
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const x = (at: number): number => (at / (heights.length - 1)) * WIDTH;
  const y = (value: number): number => HEIGHT - 2 - ((value - low) / (high - low || 1)) * (HEIGHT - 4);
  const line = heights.map((value, at) => `${at === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  return (
    <svg
      class="metric-trend"
      data-testid="metric-trend"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path d={line} fill="none" stroke="var(--series-1)" stroke-width="1.5" vector-effect="non-scaling-stroke" />
    </svg>
  );
}
