/** Settings of the app that its blocks read. */
import type { Locale } from '../values/format.ts';
import { zoneOf } from './dates.ts';
import type { AppDocument } from './document.ts';

let current: Locale = { name: undefined, zone: 'UTC' };

export function startLocale({ locale, timezone }: AppDocument): void {
  current = { name: locale, zone: zoneOf(timezone) };
}

export const appLocale = (): Locale => current;
