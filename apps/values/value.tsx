/** One value as text: NULL, empty, binary, numbers, links. Never as HTML. */
import { Digits, type Exact } from '../../ui/exact.ts';
import { appLocale } from '../page/app-context.ts';
import { formatValue, isNumericFormat } from './format.ts';

const WEB = /^https?:\/\//i;
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

export const isNumber = (value: Exact | undefined, format: string | undefined): boolean =>
  value instanceof Digits || isNumericFormat(format);

export function Value({ value, format }: { readonly value: Exact | undefined; readonly format?: string | undefined }) {
  if (value === undefined || value === null) return <span data-null="">—</span>;
  const { text, title } = formatValue(value, format, appLocale());
  const name = format?.split('.')[0];
  if (name === 'link' && WEB.test(text))
    return (
      <a href={text} rel="noreferrer noopener">
        {text}
      </a>
    );
  if (name === 'email' && EMAIL.test(text)) return <a href={`mailto:${encodeURIComponent(text)}`}>{text}</a>;
  if (name === 'code' || name === 'json') return <code>{text}</code>;
  if (name === 'badge' && text !== '') return <span class="badge">{text}</span>;
  return title === undefined ? text : <span title={title}>{text}</span>;
}
