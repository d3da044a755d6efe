/** Reads tabs: titles with the blocks of each. */
import type { Tab } from '../app-document.ts';
import type { BlockReader } from '../context.ts';
import { atMost } from '../reader.ts';

const FIELDS = ['title', 'blocks'];
const MAX_TITLE = 100;

export const readTabs: BlockReader = ({ reader, readBlocks }, tree) => {
  const tabs = reader.itemsAt(tree, 1).flatMap((item): Tab[] => {
    const map = reader.mapping(item, FIELDS);
    if (map === undefined) return [];
    const title = reader.requiredString(map, 'title', atMost(MAX_TITLE, 1)) ?? '';
    if (!map.fields.has('blocks')) reader.missing(map, 'blocks');
    return [{ title, blocks: readBlocks(reader.items(map, 'blocks', 1), false) }];
  });
  return { tabs, blocks: tabs.flatMap(({ blocks }) => blocks) };
};
