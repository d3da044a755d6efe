/** A text that is shown before it is copied. */
import { Icon } from './icon.tsx';
import { toast } from './toasts.tsx';

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied.');
  } catch {
    toast('The browser does not allow copying. Select the text and copy it.', { isError: true });
  }
}

export function CopyableText({
  text,
  label,
  testId = 'copy-text',
}: {
  readonly text: string;
  readonly label: string;
  readonly testId?: string;
}) {
  return (
    <div class="copyable">
      <pre data-testid={testId} aria-label={label} role="region" tabIndex={0}>
        {text}
      </pre>
      <button type="button" onClick={() => void copyText(text)}>
        <Icon name="copy" /> Copy {label}
      </button>
    </div>
  );
}
