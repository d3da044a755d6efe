/** The view as a curl line, as client code, or as a link. Shown before it is copied. */
import { useState } from 'preact/hooks';
import { identity } from '../../../api/identity.ts';
import { viewAsHeaders } from '../../../api/view-as.ts';
import { CopyableText } from '../../../parts/copy-text.tsx';
import { clientCode } from './client-code.ts';
import { curlLine } from './curl.ts';
import type { PanelProps } from './panel.ts';
import { Popover } from './popover.tsx';
import { rowsUrl } from './rows-request.ts';

const SIZE = 100;

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly text: (props: PanelProps) => string;
}

const KINDS: readonly Kind[] = [
  {
    id: 'curl',
    label: 'curl',
    text: ({ database, table, search }) =>
      curlLine('GET', rowsUrl(database, table.table, search, ['pg=0', `ps=${SIZE}`]), {
        hasToken: identity.current.value.kind === 'token',
        headers: viewAsHeaders(),
      }),
  },
  { id: 'client', label: 'Client code', text: ({ database, table, query }) => clientCode(database, table, query, SIZE) },
  { id: 'link', label: 'Link', text: () => location.href },
];

export function CopyPanel(props: PanelProps) {
  const [chosen, setChosen] = useState<Kind | undefined>(undefined);
  return (
    <Popover label="Copy" icon="copy" testId="copy">
      {() => (
        <div class="copy-panel">
          <div class="copy-kinds" role="group" aria-label="Copy as">
            {KINDS.map((kind) => (
              <button
                key={kind.id}
                type="button"
                data-testid={`copy-${kind.id}`}
                aria-pressed={chosen === kind}
                onClick={() => setChosen(kind)}
              >
                {kind.label}
              </button>
            ))}
          </div>
          {chosen !== undefined && <CopyableText text={chosen.text(props)} label={chosen.label} />}
        </div>
      )}
    </Popover>
  );
}
