/** The bar at the top of a view: what it is about, and its actions. */
import type { ComponentChildren } from 'preact';

interface BarProps {
  readonly title: ComponentChildren;
  /** Directly behind the title: a search field, a state. */
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

export function Bar({ title, children, actions }: BarProps) {
  return (
    <header class="bar">
      <h1>{title}</h1>
      {children}
      {actions !== undefined && <div class="bar-actions">{actions}</div>}
    </header>
  );
}
