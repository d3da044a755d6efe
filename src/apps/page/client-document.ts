/**
 * The document as the page's program reads it: every block has its id, and public pages have
 * neither forms nor actions.
 */
import { writeJson } from '../../util/json/json.ts';
import type { PlainMap, PlainValue } from '../../util/text/decimal.ts';
import type { AppBlock, AppDocument } from '../document/app-document.ts';

/** Rights of the viewer, as far as the page depends on them. */
export type Audience = 'members' | 'public';

/** Blocks that an audience sees. */
export function visibleBlocks(blocks: readonly AppBlock[], audience: Audience): readonly AppBlock[] {
  return audience === 'public' ? blocks.filter(({ kind }) => kind !== 'form') : blocks;
}

export function clientDocument({ value, blocks }: AppDocument, audience: Audience): PlainMap {
  return new Map(value).set('blocks', blockValues(blocks, audience));
}

/** JSON that can stand in a script element. */
export function scriptJson(value: PlainValue): string {
  return writeJson(value).replaceAll('<', '\\u003c');
}

function blockValues(blocks: readonly AppBlock[], audience: Audience): readonly PlainMap[] {
  return visibleBlocks(blocks, audience).map((block) => blockValue(block, audience));
}

function blockValue({ kind, id, value, blocks, tabs }: AppBlock, audience: Audience): PlainMap {
  const own: PlainMap = new Map(value);
  if (id !== undefined) own.set('id', id);
  if (kind === 'row') own.set('row', blockValues(blocks, audience));
  if (kind === 'tabs')
    own.set(
      'tabs',
      tabs.map(
        (tab) =>
          new Map<string, PlainValue>([
            ['title', tab.title],
            ['blocks', blockValues(tab.blocks, audience)],
          ]),
      ),
    );
  const table = own.get('table');
  if (audience === 'public' && table instanceof Map) own.set('table', without(table, 'actions'));
  return own;
}

function without(map: PlainMap, name: string): PlainMap {
  return new Map([...map].filter(([field]) => field !== name));
}
