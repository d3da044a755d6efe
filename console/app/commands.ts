/** Actions and places that the palette offers. Views add theirs while they are shown. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Command {
  readonly label: string;
  /** Shown beside the label: the kind of thing, or its keys. */
  readonly hint?: string;
  readonly run: () => void;
}

/** Returns commands that match a text, for what cannot be listed at once: tables, endpoints. */
export type Finder = (text: string, signal: AbortSignal) => Promise<readonly Command[]>;

export const commands = signal<readonly (readonly Command[])[]>([]);
export const finders = new Set<Finder>();
export const isPaletteOpen = signal(false);

/** Offers commands while the component is shown. */
export function useCommands(own: readonly Command[], keys: readonly unknown[]): void {
  useEffect(() => {
    commands.value = [...commands.value, own];
    return () => {
      commands.value = commands.value.filter((group) => group !== own);
    };
  }, keys);
}
