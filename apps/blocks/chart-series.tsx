/** Marks of the series, which differ by colour and by texture, line or sign. */
import type { Chart } from '../page/document.ts';

const COUNT = 8;
const seriesAt = (at: number): number => (at % COUNT) + 1;

export const strokeOf = (at: number): string => `var(--series-${seriesAt(at)})`;
export const fillOf = (at: number): string => `url(#texture-${seriesAt(at)})`;

export const DASHES = ['none', '6 3', '2 3', '8 3 2 3', '1 2', '10 4', '4 2 1 2', '12 2'];
const SIGNS = ['●', '■', '▲', '◆', '★', '✚', 'Y', '✖'];

/** Lines over the colour of a series, in a square of eight pixels. */
const TEXTURES = [
  '',
  'M-2 2l4-4M0 8l8-8M6 10l4-4',
  'M2 2h2M6 6h2',
  'M0 2h8M0 6h8',
  'M-2 6l4 4M0 0l8 8M6-2l4 4',
  'M2 0v8M6 0v8',
  'M0 4h8M4 0v8',
  'M0 8l8-8M0 0l8 8',
];

/** The textures, once in the page. */
export function Textures() {
  return (
    <svg class="visually-hidden" aria-hidden="true" width="0" height="0">
      <defs>
        {TEXTURES.map((lines, at) => (
          <pattern key={lines} id={`texture-${at + 1}`} width="8" height="8" patternUnits="userSpaceOnUse">
            <rect width="8" height="8" fill={strokeOf(at)} />
            <path d={lines} stroke="var(--bg)" stroke-opacity="0.3" stroke-width="1" fill="none" />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

interface SwatchProps {
  readonly kind: Chart['kind'];
  readonly at: number;
}

function Swatch({ kind, at }: SwatchProps) {
  if (kind === 'scatter') return <b class={`series-${seriesAt(at)}`}>{SIGNS[at % COUNT]}</b>;
  return (
    <svg class="swatch" aria-hidden="true" width={kind === 'line' ? 20 : 12} height="12">
      {kind === 'line' ? (
        <line x1="0" x2="20" y1="6" y2="6" stroke={strokeOf(at)} stroke-width="2" stroke-dasharray={DASHES[at % COUNT]} />
      ) : (
        <rect width="12" height="12" rx="2" fill={fillOf(at)} />
      )}
    </svg>
  );
}

export function Legend({ names, kind }: { readonly names: readonly string[]; readonly kind: Chart['kind'] }) {
  return (
    <ul class="legend" aria-hidden="true">
      {names.map((name, at) => (
        <li key={name}>
          <Swatch kind={kind} at={at} /> {name}
        </li>
      ))}
    </ul>
  );
}
