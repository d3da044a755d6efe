/**
 * Text of a definition for comparing spaces: as its author wrote it, without identifiers. Validates
 * nothing.
 */
import type { Node } from 'yaml';
import { yaml } from '../../util/on-demand.ts';
import type { PlainMap } from '../../util/text/decimal.ts';
import { parseYaml } from '../../util/text/yaml.ts';
import { editDocument, showDocument } from './document.ts';

const SECTION = 'identifiers';

export interface Comparable {
  readonly document: string;
  readonly version: string;
  readonly rollbackVersion: string | null;
}

/** Normalizes the versions, so that quotes around them make no difference. */
export function comparableText({ document, version, rollbackVersion }: Comparable): string {
  const normalized = editDocument(document, [
    { path: ['http', 'version'], text: JSON.stringify(version) },
    { path: ['config', 'rollback_version'], text: rollbackVersion === null ? 'null' : JSON.stringify(rollbackVersion) },
  ]);
  return plainText(normalized);
}

/**
 * Removes the identifiers. A document in flow style ({…}) has no lines per section, so it is
 * reformatted.
 */
export function plainText(source: string): string {
  const { isMap, isScalar, stringify } = yaml();
  const root = parseYaml(source).documents[0]?.contents;
  if (!isMap(root) || root.flow === true) {
    const shown = new Map(showDocument(source) as PlainMap);
    shown.delete(SECTION);
    return stringify(shown);
  }
  const pair = root.items.find(({ key }) => isScalar(key) && key.value === SECTION);
  const from = (pair?.key as Node | undefined)?.range?.[0];
  const to = (pair?.value as Node | null | undefined)?.range?.[1];
  if (from === undefined || to === undefined) return source;
  const lineEnd = source.indexOf('\n', Math.max(from, to - 1));
  return source.slice(0, from) + (lineEnd < 0 ? '' : source.slice(lineEnd + 1));
}
