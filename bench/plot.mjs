// The ratios of a run as an SVG: a bar a scenario, its spread as a line, the target as a tick, one panel an engine.
import { ENGINE_NAMES } from './engines.mjs';

const WIDTH = 860;
const LEFT = 240;
const RIGHT = 60;
const LINE = 22;
const HEAD = 34;
const COLORS = { met: '#2c7fb8', missed: '#d95f0e', text: '#24292f', faint: '#8c959f' };

const escapeXml = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const text = (x, y, content, style = '') => `<text x="${x.toFixed(1)}" y="${y}" ${style}>${escapeXml(content)}</text>`;

export function toSvg(results) {
  const bars = results.flatMap((result) => {
    const ours = result.engine && result.contestants?.find((c) => c.label === 'millrace');
    return ours ? [{ engine: result.engine, title: result.title, ratio: ours.ratio, target: result.targets?.millrace?.ratio }] : [];
  });
  const largest = Math.max(2, ...bars.map(({ ratio, target = 0 }) => Math.max(ratio.high, target)));
  const x = (ratio) => LEFT + (ratio / largest) * (WIDTH - LEFT - RIGHT);
  const parts = [];
  let y = 10;
  for (const engine of new Set(bars.map((bar) => bar.engine))) {
    const own = bars.filter((bar) => bar.engine === engine);
    const top = y + HEAD - 8;
    parts.push(text(10, y + 18, ENGINE_NAMES[engine], `font-weight="bold" fill="${COLORS.text}"`));
    parts.push(...own.map((bar, index) => drawBar(bar, top + index * LINE, x)));
    y = top + own.length * LINE + 10;
    parts.push(
      `<line x1="${x(1).toFixed(1)}" x2="${x(1).toFixed(1)}" y1="${top - 4}" y2="${y - 8}" stroke="${COLORS.faint}" stroke-dasharray="3 3"/>`,
    );
  }
  parts.push(text(x(1), y + 10, 'yardstick = 1', `fill="${COLORS.faint}" text-anchor="middle" font-size="11"`));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 20}" font-family="sans-serif" font-size="13">` +
    `<title>Requests a second as a ratio to the yardstick</title><rect width="100%" height="100%" fill="#ffffff"/>${parts.join('')}</svg>\n`
  );
}

function drawBar({ title, ratio, target }, y, x) {
  const color = target === undefined || ratio.median >= target ? COLORS.met : COLORS.missed;
  const middle = y + 8;
  const tick =
    target === undefined
      ? ''
      : `<line x1="${x(target).toFixed(1)}" x2="${x(target).toFixed(1)}" y1="${y - 1}" y2="${y + 17}" stroke="${COLORS.text}" stroke-width="2"/>`;
  return (
    text(LEFT - 8, y + 13, title, `text-anchor="end" fill="${COLORS.text}"`) +
    `<rect x="${LEFT}" y="${y}" width="${(x(ratio.median) - LEFT).toFixed(1)}" height="16" fill="${color}" opacity="0.8"/>` +
    `<line x1="${x(ratio.low).toFixed(1)}" x2="${x(ratio.high).toFixed(1)}" y1="${middle}" y2="${middle}" stroke="${COLORS.text}"/>` +
    tick +
    text(x(Math.max(ratio.high, target ?? 0)) + 6, y + 13, ratio.median.toFixed(2), `fill="${COLORS.text}"`)
  );
}
