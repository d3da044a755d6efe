/** Values as the page shows them. Numbers are formatted from their digits, at any size. Pure. */
import { divide, parseDecimal, writeDecimal } from '../../ui/decimal.ts';
import { Digits, type Exact, writeExact } from '../../ui/exact.ts';

export interface Locale {
  readonly name: string | undefined;
  readonly zone: string;
}

export interface Shown {
  readonly text: string;
  /** The whole value, if the text is shorter. */
  readonly title?: string;
}

type NumberOptions = Intl.NumberFormatOptions;

/** Formats the digits of a number. Intl takes decimal strings of any length. */
function formatDigits(digits: string, locale: Locale, options: NumberOptions): string {
  if (parseDecimal(digits) === undefined) return digits;
  return numberFormat(locale.name, options).format(digits as Intl.StringNumericLiteral);
}

const formats = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string | undefined, options: NumberOptions): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, known);
  return known;
}

const places = (count: string | undefined, fallback: NumberOptions = {}): NumberOptions =>
  count === undefined ? fallback : { minimumFractionDigits: Number(count), maximumFractionDigits: Number(count) };

const ALL_PLACES: NumberOptions = { maximumFractionDigits: 20 };

type Format = (text: string, locale: Locale, parts: readonly string[]) => Shown;

const shown =
  (format: (text: string, locale: Locale, parts: readonly string[]) => string): Format =>
  (...args) => ({ text: format(...args) });

const dated = (options: Intl.DateTimeFormatOptions): Format =>
  shown((text, { name, zone }) => {
    const date = dateOf(text);
    if (date === undefined) return text;
    // A day has no time and so no zone.
    return new Intl.DateTimeFormat(name, { ...options, timeZone: isDay(text) || !hasZone(text) ? 'UTC' : zone }).format(date);
  });

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);
const isMonth = (text: string): boolean => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text);
const hasZone = (text: string): boolean => /(?:Z|[+-]\d{2}:?\d{2})$/.test(text);

function dateOf(text: string): Date | undefined {
  if (isMonth(text)) return dateOf(`${text}-01`);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const date = new Date(isDay(text) ? `${text}T00:00:00Z` : hasZone(text) ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

function formatBytes(text: string, locale: Locale): Shown {
  let value = parseDecimal(text);
  if (value === undefined) return { text };
  let unit = 0;
  const thousand = { units: 1000n, scale: 0 };
  for (; unit < UNITS.length - 1 && digitsOf(value) > 3; unit++) value = divide(value, thousand, 1);
  return { text: `${formatDigits(writeDecimal(value), locale, { maximumFractionDigits: 1 })} ${UNITS[unit]}`, title: text };
}

const digitsOf = ({ units, scale }: { units: bigint; scale: number }): number => (units < 0n ? -units : units).toString().length - scale;

function formatDuration(text: string): Shown {
  const value = parseDecimal(text);
  if (value === undefined) return { text };
  const total = value.units / 10n ** BigInt(value.scale);
  const size = total < 0n ? -total : total;
  const parts = [
    [size / 3600n, 'h'],
    [(size / 60n) % 60n, 'min'],
    [size % 60n, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0n);
  const words = parts.slice(first < 0 ? 2 : first).map(([count, unit]) => `${count} ${unit}`);
  return { text: `${total < 0n ? '−' : ''}${words.slice(0, 2).join(' ')}`, title: `${text} s` };
}

export const NUMERIC_FORMATS: ReadonlySet<string> = new Set(['number', 'integer', 'percent', 'currency', 'compact', 'bytes', 'duration']);

const FORMATS: Readonly<Record<string, Format>> = {
  number: shown((text, locale, [digits]) => formatDigits(text, locale, places(digits, ALL_PLACES))),
  integer: shown((text, locale) => formatDigits(text, locale, { maximumFractionDigits: 0 })),
  percent: shown((text, locale, [digits]) => formatDigits(text, locale, { style: 'percent', ...places(digits, ALL_PLACES) })),
  currency: shown((text, locale, [currency = 'EUR', digits]) =>
    formatDigits(text, locale, { style: 'currency', currency, ...places(digits) }),
  ),
  compact: (text, locale) => ({
    text: formatDigits(text, locale, { notation: 'compact', maximumFractionDigits: 1 }),
    title: formatDigits(text, locale, ALL_PLACES),
  }),
  bytes: formatBytes,
  duration: formatDuration,
  date: dated({ dateStyle: 'medium' }),
  datetime: dated({ dateStyle: 'medium', timeStyle: 'short' }),
  time: dated({ timeStyle: 'short' }),
  month: dated({ year: 'numeric', month: 'short' }),
  year: dated({ year: 'numeric' }),
  /** The API writes binary values as base64. */
  binary: shown((text) => `binary, ${(text.length / 4) * 3 - (/=*$/.exec(text)?.[0].length ?? 0)} bytes`),
  bool: shown((text) => (text === 'true' || text === '1' ? 'yes' : text === 'false' || text === '0' ? 'no' : text)),
};

/** Shows a value that is not NULL. Without a format, it is shown as the API wrote it. */
export function formatValue(value: Exact, format: string | undefined, locale: Locale): Shown {
  const text =
    typeof value === 'string'
      ? value
      : value instanceof Digits
        ? value.text
        : typeof value === 'boolean'
          ? String(value)
          : writeExact(value);
  const [name = '', ...parts] = format?.split('.') ?? [];
  return FORMATS[name]?.(text, locale, parts) ?? { text };
}

const TICKS: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  year: { year: 'numeric' },
  month: { year: 'numeric', month: 'short' },
  day: { month: 'short', day: 'numeric' },
  time: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
};

/** Names a tick of a time axis. Days and months are those of UTC, as the API groups them. */
export function formatTick(date: Date, unit: string, { name, zone }: Locale): string {
  return new Intl.DateTimeFormat(name, { ...TICKS[unit], timeZone: unit === 'time' ? zone : 'UTC' }).format(date);
}

export const isNumericFormat = (format: string | undefined): boolean =>
  format !== undefined && NUMERIC_FORMATS.has(format.split('.')[0] ?? '');
