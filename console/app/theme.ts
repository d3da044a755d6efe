/** System, light or dark. The only thing that the console keeps in localStorage. */
import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';
const stored = localStorage.getItem(KEY);

export const theme = signal<Theme>(THEMES.find((name) => name === stored) ?? 'system');
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(systemIsDark.matches);
systemIsDark.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});

export function setTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  theme.value = chosen;
}

/** `light` or `dark`, whatever the choice. */
export const shownTheme = (): 'light' | 'dark' => {
  if (theme.value !== 'system') return theme.value;
  return isSystemDark.value ? 'dark' : 'light';
};

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = shownTheme();
  });
}
