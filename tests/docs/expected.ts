// Compares printed and actual output; `…` matches anything. Pure.

/** Compares text. `…` matches anything, also several lines. */
export function matchesText(shown: string, actual: string): boolean {
  const pattern = shown
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[^\S\n]+/g, '[^\\S\\n]+'))
    .join('[\\s\\S]*?');
  return new RegExp(`^${pattern}$`).test(actual.replaceAll('\r\n', '\n').trim());
}

/** Compares JSON. "…" matches any value, further items at the end of a list, or further fields. */
export function matchesJson(shown: unknown, actual: unknown): boolean {
  if (shown === '…') return true;
  if (typeof shown === 'string' && typeof actual === 'string') return matchesText(shown, actual);
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return false;
    const isOpen = shown.at(-1) === '…';
    const items = isOpen ? shown.slice(0, -1) : shown;
    if (isOpen ? actual.length < items.length : actual.length !== items.length) return false;
    return items.every((item, index) => matchesJson(item, actual[index]));
  }
  if (typeof shown !== 'object' || shown === null) return shown === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  const { '…': isOpen, ...fields } = shown as Record<string, unknown>;
  const others = Object.keys(actual).filter((name) => !Object.hasOwn(fields, name));
  if (isOpen === undefined && others.length > 0) return false;
  return Object.entries(fields).every(([name, value]) => matchesJson(value, (actual as Record<string, unknown>)[name]));
}

/** Compares by the language of the block. */
export function matches(language: string, shown: string, actual: string): boolean {
  if (language !== 'json') return matchesText(shown, actual);
  try {
    return matchesJson(JSON.parse(shown), JSON.parse(actual));
  } catch {
    return false;
  }
}
