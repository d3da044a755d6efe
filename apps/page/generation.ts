/** Times to read again: after a form was saved, on refresh, when the page is visible again. */
import { signal } from '@preact/signals';
import { forgetReads } from './api.ts';

/** Grows whenever all blocks have to read again. */
export const generation = signal(0);
/** Time of the last complete refresh. */
export const updatedAt = signal<Date>(new Date());
export const isHidden = signal(document.hidden);

export function reloadAll(): void {
  forgetReads();
  generation.value++;
  updatedAt.value = new Date();
}

/** Reloads at an interval, while the page is visible. */
export function startRefresh(seconds: number | undefined): void {
  let last = Date.now();
  const refresh = (): void => {
    last = Date.now();
    reloadAll();
  };
  document.addEventListener('visibilitychange', () => {
    isHidden.value = document.hidden;
    if (!document.hidden && seconds !== undefined && Date.now() - last > seconds * 1000) refresh();
  });
  if (seconds !== undefined) setInterval(() => !document.hidden && refresh(), seconds * 1000);
}
