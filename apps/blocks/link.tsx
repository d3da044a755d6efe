/** Links to other apps. A public page passes its token on. */
import type { ComponentChildren } from 'preact';
import { publicToken } from '../page/api.ts';
import type { Link } from '../page/document.ts';
import { fillValue, type Row } from '../page/fill.ts';

/** Address of an app, relative to this page. */
export function linkAddress({ app, inputs = {} }: Link, row?: Row): string {
  const query = new URLSearchParams({ app });
  const token = publicToken();
  if (token !== undefined) query.set('pwt', token);
  for (const [name, value] of Object.entries(inputs)) for (const text of fillValue(value, row)) query.append(name, text);
  const page = document.documentElement.dataset['mode'] === 'ui' ? 'ui' : 'render';
  return `${page}?${query.toString()}`;
}

/** Opens another app in place of this one. */
export function goTo(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  document.body.append(link);
  link.click();
  link.remove();
}

interface AppLinkProps {
  readonly link: Link;
  readonly row?: Row | undefined;
  readonly children: ComponentChildren;
}

export function AppLink({ link, row, children }: AppLinkProps) {
  return <a href={linkAddress(link, row)}>{children}</a>;
}
