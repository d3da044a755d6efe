/**
 * Power by repeated squaring of the mantissa, which matches the reference to the last digit.
 * JavaScript's operator rounds large results differently. Pure.
 */
const view = new DataView(new ArrayBuffer(8));

/** Mantissa in [0.5, 1) and exponent of a float. */
function split(value: number): readonly [number, number] {
  view.setFloat64(0, value);
  const exponent = (view.getUint16(0) >> 4) & 0x7ff;
  if (exponent === 0) {
    const [mantissa, power] = split(value * 2 ** 54);
    return [mantissa, power - 54];
  }
  view.setUint16(0, (view.getUint16(0) & 0x800f) | (1022 << 4));
  return [view.getFloat64(0), exponent - 1022];
}

function scale(mantissa: number, power: number): number {
  if (power > 1000) return mantissa * 2 ** 1000 * 2 ** Math.min(power - 1000, 1023);
  if (power < -1000) return mantissa * 2 ** -1000 * 2 ** Math.max(power + 1000, -1074);
  return mantissa * 2 ** power;
}

/** Exponent beyond which the result is infinite or zero. */
const CATASTROPHE = 4096;

export function raise(x: number, y: number): number {
  // Any power of 1 is 1, and so is -1 to an infinite power, for which JavaScript returns NaN.
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return 1;
  if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0 || y === 0 || y === 1) return x ** y;
  if (Math.abs(y) === 0.5) return y > 0 ? Math.sqrt(x) : 1 / Math.sqrt(x);
  let whole = Math.trunc(Math.abs(y));
  let rest = Math.abs(y) - whole;
  if ((rest !== 0 && x < 0) || whole >= 2 ** 63) return x ** y;
  if (rest > 0.5) {
    rest--;
    whole++;
  }
  let mantissa = rest === 0 ? 1 : Math.exp(rest * Math.log(x));
  let power = 0;
  let [square, squarePower] = split(x);
  for (let i = whole; i !== 0; i = Math.floor(i / 2)) {
    if (Math.abs(squarePower) > CATASTROPHE) {
      power += squarePower;
      break;
    }
    if (i % 2 === 1) {
      mantissa *= square;
      power += squarePower;
    }
    square *= square;
    squarePower *= 2;
    if (square < 0.5) {
      square += square;
      squarePower--;
    }
  }
  return y < 0 ? scale(1 / mantissa, -power) : scale(mantissa, power);
}
