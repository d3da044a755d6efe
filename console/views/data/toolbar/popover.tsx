/** A button that opens a panel below it. Escape and a click elsewhere close the panel. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../../../parts/icon.tsx';

interface PopoverProps {
  readonly label: string;
  readonly icon: IconName;
  readonly testId: string;
  /** Number of things in force, shown beside the label. */
  readonly count?: number;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popover({ label, icon, testId, count = 0, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: Event): void => {
      if (element.current !== null && !event.composedPath().includes(element.current)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    element.current?.querySelector<HTMLElement>('.popover-panel :is(input, select, button)')?.focus();
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [isOpen]);
  return (
    <div
      ref={element}
      class="popover"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        event.preventDefault();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        class={count > 0 ? 'plain in-force' : 'plain'}
        data-testid={testId}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} /> {label}
        {count > 0 && <span class="count-mark">{count}</span>}
      </button>
      {isOpen && (
        <section id={id} class="popover-panel" aria-label={label}>
          {children(close)}
        </section>
      )}
    </div>
  );
}
