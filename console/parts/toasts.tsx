/** Short messages about what has just happened. */
import { signal } from '@preact/signals';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const SHOWN_MS = 6000;
const MAX_TOASTS = 4;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

export function toast(text: string, { isError = false } = {}): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, text, isError }].slice(-MAX_TOASTS);
  if (!isError) setTimeout(() => dismiss(id), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts">
      {toasts.value.map(({ id, text, isError }) => (
        <div key={id} class={isError ? 'toast is-error' : 'toast'} data-testid="toast" role={isError ? 'alert' : 'status'}>
          <span>{text}</span>
          <button type="button" class="plain icon-only" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
