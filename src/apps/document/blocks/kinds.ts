/** The kinds of blocks, each with the reader of its content. */
import type { BlockKind } from '../app-document.ts';
import type { BlockReader } from '../context.ts';
import { readChart } from './chart.ts';
import { readFormBlock } from './form.ts';
import { readMetric } from './metric.ts';
import { readRecord } from './record.ts';
import { readRow } from './row.ts';
import { readTable } from './table.ts';
import { readTabs } from './tabs.ts';
import { readText } from './text.ts';

export const BLOCK_READERS: Readonly<Record<BlockKind, BlockReader>> = {
  text: readText,
  metric: readMetric,
  chart: readChart,
  table: readTable,
  record: readRecord,
  form: readFormBlock,
  row: readRow,
  tabs: readTabs,
};
