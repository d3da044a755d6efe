/** Relative defaults of dates and timestamps: `today`, `today-30d`, `this-month`. Pure. */
const RELATIVE = /^(?:today(?:[+-]\d{1,4}[dwmy])?|this-(?:month|quarter|year))$/;

export function isRelativeDate(text: string): boolean {
  return RELATIVE.test(text);
}
