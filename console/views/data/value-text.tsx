/** A value in a dialog or a list, as a cell of the grid shows it. */
import type { Kind } from '../../api/types.ts';
import { viewCell } from './rows/cell-text.ts';

export function ValueText({ raw, kind }: { readonly raw: string | undefined; readonly kind: Kind | undefined }) {
  const view = viewCell(raw, kind);
  return (
    <span class="value" data-kind={view.kind}>
      {view.text}
    </span>
  );
}
