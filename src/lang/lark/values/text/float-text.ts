/** Formats floats: the shortest digits that read back the same, always recognizable as a float. */
const SIX = 6;

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? '+inf' : '-inf';
  return undefined;
}

function exponentText(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `e${exponent < 0 ? '-' : '+'}${digits}`;
}

/**
 * Text of a float for `str` and `%g`: an exponent outside of 1e-4 to 1e6, otherwise at least one
 * decimal.
 */
export function floatText(value: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= SIX) return `${mantissa}${exponentText(exponent)}`;
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** `%e` and `%f`, with six decimals. */
export function fixedText(value: number, conversion: 'e' | 'f'): string {
  const named = special(value);
  if (named !== undefined) return named;
  if (conversion === 'f') return fixedDigits(value);
  const [mantissa = '', power = '0'] = value.toExponential(SIX).split('e');
  const sign = Object.is(value, -0) ? '-' : '';
  return `${sign}${mantissa}${exponentText(Number(power))}`;
}

function fixedDigits(value: number): string {
  const sign = Object.is(value, -0) ? '-' : '';
  return Math.abs(value) < 1e21 ? `${sign}${value.toFixed(SIX)}` : `${BigInt(value)}.000000`;
}
