/** Parses `$agg`, `$group` and `$having`. Must not know tables. */
import { apiError } from '../../errors.ts';
import { AGGREGATES, isAggregate, isTimePart } from '../../sql/aggregates.ts';
import { columnName, parseGroup } from './filter-syntax.ts';
import type { SingleParameters } from './query.ts';
import type { AggregateItem, GroupItem, GroupRequest } from './request.ts';

const MAX_ITEMS = 100;

export function parseGroups(single: SingleParameters): Pick<GroupRequest, 'groups' | 'aggregates' | 'having'> {
  const groups = itemsOf('$group', single.get('$group')).map(groupOf);
  const aggregates = itemsOf('$agg', single.get('$agg')).map(aggregateOf);
  const having = single.get('$having');
  if (groups.length + aggregates.length === 0) throw apiError('parameter_invalid', '$having', 'it goes with $agg or $group');
  return { groups, aggregates, having: having === undefined ? undefined : parseGroup('$having', having) };
}

interface Item {
  readonly alias: string | undefined;
  readonly text: string;
}

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const ITEMS = new RegExp(`(?:${QUOTED}|[^,"])+`, 'g');
const ALIASED = new RegExp(`^(${QUOTED}|[^:"]+):(.*)$`, 's');

/** Splits items at commas. A colon separates an alias; double quotes enclose names. */
function itemsOf(name: string, text: string | undefined): readonly Item[] {
  if (text === undefined) return [];
  const items = text.match(ITEMS) ?? [];
  if (items.length === 0 || items.join(',') !== text) throw apiError('parameter_invalid', name, 'it must be a list separated by commas');
  if (items.length > MAX_ITEMS) throw apiError('parameter_invalid', name, `it may have ${MAX_ITEMS} items at most`);
  return items.map((item) => {
    const match = ALIASED.exec(item);
    return match === null ? { alias: undefined, text: item } : { alias: columnName(match[1] ?? ''), text: match[2] ?? '' };
  });
}

/** Parses `column` or `column.part`. */
function groupOf({ alias, text }: Item): GroupItem {
  const dot = text.lastIndexOf('.');
  const last = dot < 0 ? '' : text.slice(dot + 1);
  if (text === '') throw apiError('parameter_invalid', '$group', 'a column is missing');
  if (isTimePart(last)) return { alias, column: columnName(text.slice(0, dot)), part: last };
  return { alias, column: columnName(text), part: undefined };
}

/** Parses `count` or `function.column`. */
function aggregateOf({ alias, text }: Item): AggregateItem {
  const dot = text.indexOf('.');
  const aggregate = dot < 0 ? text : text.slice(0, dot);
  if (!isAggregate(aggregate))
    throw apiError(
      'parameter_invalid',
      '$agg',
      `${aggregate.slice(0, 40) || 'nothing'} is not a function; known are ${Object.keys(AGGREGATES).join(', ')}`,
    );
  if (dot < 0 && aggregate !== 'count')
    throw apiError('parameter_invalid', '$agg', `${aggregate} needs a column, such as ${aggregate}.price`);
  return { alias, aggregate, column: dot < 0 ? undefined : columnName(text.slice(dot + 1)) };
}
