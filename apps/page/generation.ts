/** Times to read again: after a form was saved, on refresh, when the page is visible again. */
import { signal } from '@preact/signals';
import { forgetReads } from './api.ts';

/** Grows whenever all blocks have to read again. */
export const generation = signal(0);
/** Time at which the last block got its values. */
export const updatedAt = signal<Date>(new Date());
export const isHidden = signal(document.hidden);

export function reloadAll(): void {
  forgetReads();
  generation.value++;
}

/** Notes that a block shows new values. */
export function noteUpdate(): void {
  updatedAt.value = new Date();
}

/** Timers may fire a little early. */
const TOLERANCE = 500;
let interval = Number.POSITIVE_INFINITY;
let last = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function refreshIfDue(): void {
  isHidden.value = document.hidden;
  if (document.hidden || Date.now() - last < interval - TOLERANCE) return;
  last = Date.now();
  reloadAll();
}

document.addEventListener('visibilitychange', refreshIfDue);

/** Reloads at an interval, while the page is visible. */
export function startRefresh(seconds: number | undefined): void {
  clearInterval(timer);
  interval = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000;
  last = Date.now();
  if (seconds !== undefined) timer = setInterval(refreshIfDue, interval);
}
