/** Puts the program of each block into the place that the service has written for it. */
import { computed, type ReadonlySignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { render } from 'preact';
import { ChartBlock } from '../blocks/chart.tsx';
import { Textures } from '../blocks/chart-series.tsx';
import { Confirm } from '../blocks/confirm.tsx';
import { FormBlock } from '../blocks/form.tsx';
import { MetricBlock } from '../blocks/metric.tsx';
import { RecordBlock } from '../blocks/record.tsx';
import { TableBlock } from '../blocks/table.tsx';
import { openTab, TabList } from '../blocks/tabs.tsx';
import { type BlockContext, CurrentBlock } from './block.tsx';
import { Controls } from './controls.tsx';
import type { AppDocument, Block } from './document.ts';
import { Notice, Refreshed } from './notice.tsx';

const always: ReadonlySignal<boolean> = computed(() => true);

/** Components by kind. */
function componentOf({ id = '', title, metric, chart, table, record, form }: Block): ComponentChild {
  if (metric !== undefined) return <MetricBlock metric={metric} />;
  if (chart !== undefined) return <ChartBlock chart={chart} title={title} />;
  if (table !== undefined) return <TableBlock id={id} table={table} />;
  if (record !== undefined) return <RecordBlock record={record} />;
  if (form !== undefined) return <FormBlock form={form} />;
  return undefined;
}

const places: HTMLElement[] = [];

export function mountApp({ blocks }: AppDocument): void {
  for (const element of places.splice(0)) render(null, element);
  fill(document.querySelector('.top'), <Controls />);
  document.querySelector('main')?.before(place('notice', <Notice />));
  fill(document.querySelector('.refreshed'), <Refreshed />);
  document.body.append(
    place(
      'dialogs',
      <>
        <Confirm />
        <Textures />
      </>,
    ),
  );
  mountBlocks(blocks, always);
}

function mountBlocks(blocks: readonly Block[], isOpen: ReadonlySignal<boolean>): void {
  for (const block of blocks) {
    if (block.row !== undefined) mountBlocks(block.row, isOpen);
    else if (block.tabs !== undefined) mountTabs(block.id ?? '', block.tabs, isOpen);
    else mountBlock(block, isOpen);
  }
}

function mountBlock(block: Block, isOpen: ReadonlySignal<boolean>): void {
  const section = document.getElementById(`block-${block.id}`);
  const component = componentOf(block);
  if (section === null || component === undefined) return;
  const context: BlockContext = { id: block.id ?? '', section, isOpen };
  fill(section.querySelector(':scope > .block-body'), <CurrentBlock.Provider value={context}>{component}</CurrentBlock.Provider>);
}

function mountTabs(id: string, tabs: NonNullable<Block['tabs']>, isOpen: ReadonlySignal<boolean>): void {
  const section = document.getElementById(`block-${id}`);
  if (section === null) return;
  const panels = [...section.querySelectorAll<HTMLElement>(':scope > [data-tab]')];
  const open = openTab(id, tabs.length);
  const list = place('tabs', <TabList id={id} titles={tabs.map(({ title }) => title)} panels={panels} open={open} />);
  panels[0]?.before(list);
  for (const [at, { blocks }] of tabs.entries())
    mountBlocks(
      blocks,
      computed(() => isOpen.value && open.value === at + 1),
    );
}

/** A new element with a component in it. */
function place(name: string, component: ComponentChild): HTMLElement {
  const element = document.createElement('div');
  element.className = name;
  fill(element, component);
  return element;
}

/** Puts a component into an element that the service has written, in place of its content. */
function fill(element: Element | null, component: ComponentChild): void {
  if (!(element instanceof HTMLElement)) return;
  element.replaceChildren();
  render(component, element);
  places.push(element);
}
