/** The whole value of the active cell, as text. */
import { plainText, viewCell } from './rows/cell-text.ts';
import { layOut } from './rows/json-layout.ts';
import type { TableSession } from './table-session.ts';

export function CellDetail({ session }: { readonly session: TableSession }) {
  const { value: place } = session.active;
  // A pending change or a saved row changes the value.
  void session.pending.edits.value;
  const { source } = session;
  const shown = place === undefined || source === undefined ? undefined : source.columns[place.column];
  if (place === undefined || source === undefined || shown === undefined || place.row < 0 || place.row >= source.rowCount) return null;
  const raw = source.raw(place.row, place.column);
  const kind = source.columnAt(place.column)?.kind;
  const view = viewCell(raw, kind);
  const close = (): void => {
    session.active.value = undefined;
  };
  return (
    <section class="cell-detail" aria-label={`Value of ${shown.name}`}>
      <header>
        <span class="mono">{shown.name}</span> <span class="faint">{shown.type}</span>
        {view.kind === 'binary' && <span class="faint">{view.text}, shown in base64</span>}
        <button type="button" class="plain" onClick={close}>
          Hide value
        </button>
      </header>
      <pre data-testid="cell-detail" data-kind={view.kind} tabIndex={0} role="region" aria-label="Whole value">
        {view.kind === 'null' || view.kind === 'empty' ? (
          view.text
        ) : (
          <Whole text={view.kind === 'json' ? layOut(raw ?? '') : plainText(raw, kind)} />
        )}
      </pre>
    </section>
  );
}

/** A text; a web address is a link. */
function Whole({ text }: { readonly text: string }) {
  const link = webAddress(text);
  if (link === undefined) return <>{text}</>;
  return (
    <a href={link} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  );
}

function webAddress(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/i.test(text)) return undefined;
  try {
    const { protocol, href } = new URL(text);
    return protocol === 'http:' || protocol === 'https:' ? href : undefined;
  } catch {
    return undefined;
  }
}
