/** The list of keys that work now. */
import { signal } from '@preact/signals';
import { Dialog } from '../parts/dialog.tsx';
import { bindings } from './keys.ts';

export const isKeyListOpen = signal(false);

export function KeyList() {
  if (!isKeyListOpen.value) return null;
  return (
    <Dialog
      title="Keys"
      onClose={() => {
        isKeyListOpen.value = false;
      }}
    >
      <dl class="key-list">
        {bindings.value.flat().map(({ key, meaning }) => (
          <div key={key + meaning}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
