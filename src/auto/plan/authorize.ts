/**
 * What a caller may do with a table. This is the one place where a plan is narrowed to it: planners plan on `visibleTable` and nothing else, and call
 * `narrow` on everything they plan; by its type a plan that was not narrowed cannot become SQL. Knows rights, not where they come from.
 */
import { apiError } from '../../errors.ts';
import type { Operation } from '../../model/persona.ts';
import type { Column, Table } from '../../model/table.ts';
import type {
  Assignment,
  Authorized,
  Condition,
  ConflictUpdate,
  InsertPlan,
  SelectPlan,
  TablePlan,
  UpdatePlan,
  UpdateRowsPlan,
} from '../../sql/plan.ts';
import { memoPair } from '../../util/memo.ts';
import type { Access, CallerRule, Restriction, Right, Subject, TableRights } from './access.ts';
import { ownKey } from './keys.ts';

/** The table as the caller sees it for an operation: requests are planned on nothing else. */
export function visibleTable(table: Table, { restriction }: Access, operation: Operation): Table {
  return restriction === undefined ? table : rightOn(table, restriction, operation).view;
}

/** The same for a table that a relation reaches; undefined where the caller may not read it, so that there is no such relation. */
export function reachableTable(table: Table, { restriction }: Access): Table | undefined {
  if (restriction === undefined) return table;
  const isReadable = restriction.rightsOn(table)?.rights.read !== undefined;
  return isReadable ? rightOn(table, restriction, 'read').view : undefined;
}

interface ViewGrant {
  readonly right: Right;
  readonly operation: Operation;
  readonly rights: TableRights;
  readonly persona: string;
}

/** What a view was made for. A plan on a table that is no view of its operation has been made past the rules, and is not run. */
const viewGrants = new WeakMap<Table, ViewGrant>();

function rightOn(table: Table, restriction: Restriction, operation: Operation): Right {
  const rights = restriction.rightsOn(table);
  if (rights === undefined) throw apiError('table_unknown', table.name);
  const right = grantedIn(rights, operation, restriction.subject);
  if (!viewGrants.has(right.view)) viewGrants.set(right.view, { right, operation, rights, persona: restriction.subject.persona });
  return right;
}

function grantedIn({ rights }: TableRights, operation: Operation, { persona }: Subject): Right {
  const right = rights[operation];
  if (right === undefined) throw apiError('persona_operation', persona, operation);
  if (right.isBroken) throw apiError('persona_broken', persona);
  return right;
}

function viewGrantOf(view: Table): ViewGrant {
  const grant = viewGrants.get(view);
  if (grant === undefined) throw new Error('a plan was made past the rules of its caller');
  return grant;
}

function viewGrantFor(view: Table, operation: Operation): ViewGrant {
  const grant = viewGrantOf(view);
  if (grant.operation !== operation) throw new Error(`a plan to ${operation} was made on a table for another operation`);
  return grant;
}

/** Within the rules of its caller. `operation`: whose rule holds for the rows. */
export function authorize<P extends TablePlan>(plan: P, { restriction }: Access, operation: Operation): Authorized<P> {
  if (restriction === undefined) return plan as Authorized<P>;
  const grant = viewGrantFor(plan.table, operation);
  return authorizePlan(plan, grant, restriction.subject) as Authorized<P>;
}

function authorizePlan(plan: TablePlan, grant: ViewGrant, subject: Subject): TablePlan {
  if ('upsert' in plan) return authorizeInsert(plan, grant, subject);
  const { right, rights } = grant;
  const where = withRule(plan.where, right, subject);
  if ('key' in plan) return { ...plan, ...authorizeRows(plan, grant, subject), where };
  if ('set' in plan) return { ...plan, set: authorizeSet(plan, grant, subject), where: where ?? plan.where };
  if (!('columns' in plan)) return { ...plan, where } as TablePlan;
  checkShown(plan);
  const masks = rights.rights.read?.masks;
  return { ...plan, where, masks: masks?.size === 0 ? undefined : masks };
}

/** Both conditions; undefined when there is neither. */
function withRule(where: Condition | undefined, right: Right, subject: Subject): Condition | undefined {
  const rule = conditionOf(right, subject);
  if (rule === undefined || where === undefined) return rule ?? where;
  return { op: 'and', of: [rule, where] };
}

const ruleConditions = memoPair((rule: CallerRule, subject: Subject) => rule(subject));

function conditionOf({ rule }: Right, subject: Subject): Condition | undefined {
  return typeof rule === 'function' ? ruleConditions(rule, subject) : rule;
}

/** What is selected is readable, or a key; or it is there for the cursor, which is sealed. */
function checkShown({ columns, table, order }: SelectPlan): void {
  if (columns === table.columns) return;
  for (const column of columns)
    if (!isReadable(table, column) && !ownKey(table).includes(column) && !order.some((term) => term.column === column))
      throw new Error('a column was selected past the rules');
}

function isReadable({ viewRights }: Table, column: Column): boolean {
  return viewRights?.readable.has(column) === true;
}

/** Throws when the caller may not give one of these; asked before values are looked at, so that this is what it hears. */
export function checkWritable(view: Table, columns: readonly Column[]): void {
  const grant = viewGrants.get(view);
  if (grant !== undefined) checkColumns(columns, grant);
}

function checkColumns(columns: readonly Column[], { right, operation, persona }: ViewGrant): void {
  for (const column of columns) if (!right.columns.has(column)) throw apiError('persona_column', persona, operation, column.name);
}

function authorizeSet({ set }: UpdatePlan, grant: ViewGrant, subject: Subject): readonly Assignment[] {
  checkColumns(
    set.map(({ column }) => column),
    grant,
  );
  return [...set, ...grant.right.presets.map(({ column, valueFor }) => ({ column, value: valueFor(subject) }))];
}

/** Rows that say by their keys which ones they change. A part of the key that the service gives itself is nobody's to send. */
function authorizeRows(plan: UpdateRowsPlan, grant: ViewGrant, subject: Subject): Rows {
  const { key, columns } = plan;
  checkColumns(
    columns.filter((column) => !key.includes(column) || isPreset(grant, column)),
    grant,
  );
  return withPresetValues(plan, grant.right, subject);
}

type Rows = Pick<UpdateRowsPlan, 'columns' | 'rows'>;

function authorizeInsert(plan: InsertPlan, grant: ViewGrant, subject: Subject): InsertPlan {
  const { right, rights } = grant;
  checkColumns(plan.columns, grant);
  if (right.missingColumn !== undefined) throw missingColumnError(right.missingColumn);
  const filled = { ...plan, ...withPresetValues(plan, right, subject) };
  if (plan.upsert === undefined) return filled;
  return { ...filled, onConflict: conflictUpdate(rights, plan.columns, plan.upsert, subject) };
}

/** What an upsert may do to a row that is there: set what both operations grant, if the rule of changes holds for it. */
function conflictUpdate(rights: TableRights, columns: readonly Column[], key: readonly Column[], subject: Subject): ConflictUpdate {
  const update = grantedIn(rights, 'update', subject);
  const set = columns.filter((column) => update.columns.has(column) && !key.includes(column));
  return { set, where: conditionOf(update, subject) };
}

/** Rows of an upsert that lack what a new row needs: they change rows that are there, as the upsert would. */
export function authorizeUpsertUpdates(plan: UpdateRowsPlan, { restriction }: Access): Authorized<UpdateRowsPlan> {
  if (restriction === undefined) return plan as Authorized<UpdateRowsPlan>;
  const { subject } = restriction;
  const grant = viewGrantFor(plan.table, 'insert');
  checkColumns(plan.columns, grant);
  const filled = plan.key.some((column) => isPreset(grant, column)) ? withPresetValues(plan, grant.right, subject) : {};
  return { ...plan, ...filled, ...conflictUpdate(grant.rights, plan.columns, plan.key, subject) } as Authorized<UpdateRowsPlan>;
}

/** Does the service give the column itself? */
export function hasPreset(view: Table, column: Column): boolean {
  const grant = viewGrants.get(view);
  return grant !== undefined && isPreset(grant, column);
}

function isPreset({ right }: ViewGrant, column: Column): boolean {
  return right.presets.some((preset) => preset.column === column);
}

/** A column that new rows need and that the caller may not give, if there is one; null when its name is not for the caller. */
export function missingColumn(view: Table, { restriction }: Access): string | null | undefined {
  return restriction === undefined ? undefined : viewGrantFor(view, 'insert').right.missingColumn;
}

export function missingColumnError(column: string | null): Error {
  const which = column === null ? 'a column that you may not give' : `the column "${column}", which you may not give`;
  return apiError('rows_refused', `The table needs a value for ${which}.`);
}

/** Returns the same list for the same columns, because prepared statements are found by it. */
const withPresetColumns = memoPair((columns: readonly Column[], right: Right): readonly Column[] => [
  ...columns,
  ...right.presets.map(({ column }) => column),
]);

/** Every row with what the service gives behind its own values. */
function withPresetValues({ columns, rows }: Rows, right: Right, subject: Subject): Rows {
  if (right.presets.length === 0) return { columns, rows };
  return { columns: withPresetColumns(columns, right), rows: rows.withEach(right.presets.map(({ valueFor }) => valueFor(subject))) };
}

/** The table on which rows that were written are read: as a reader sees it. */
export function readableTable(view: Table, { restriction }: Access): Table {
  if (restriction === undefined) return view;
  const { rights } = viewGrantOf(view);
  const right = grantedIn(rights, 'read', restriction.subject);
  if (!viewGrants.has(right.view)) viewGrants.set(right.view, { right, operation: 'read', rights, persona: restriction.subject.persona });
  return right.view;
}

/** May every row of it be shown as it is? */
export function isOpenToRead(view: Table, { restriction }: Access): boolean {
  if (restriction === undefined) return true;
  const { rule, masks } = viewGrantFor(view, 'read').right;
  return rule === undefined && masks.size === 0;
}

/** May the number of rows be guessed? Guesses are made of all rows there are, and would tell of those that the caller may not read. */
export function mayEstimate(view: Table, access: Access, reachesOthers: boolean): boolean {
  return access.restriction === undefined || (!reachesOthers && isOpenToRead(view, access));
}

/** The largest page that the caller may ask for; undefined when nothing is said of it. */
export function maxPageSize(view: Table, { restriction }: Access): number | undefined {
  return restriction === undefined ? undefined : viewGrantFor(view, 'read').right.maxPageSize;
}

/** Throws when a page is larger than the caller may ask for. `name`: of the parameter that says so. */
export function checkPageSize(view: Table, access: Access, name: string, size: number): void {
  const most = maxPageSize(view, access);
  if (most !== undefined && size > most) throw apiError('paging_invalid', name, `it may be ${most} at most`);
}

/** The names that may stand in an error; undefined when all may. */
export function visibleColumnNames({ restriction }: Access, table: Table | undefined): ReadonlySet<string> | undefined {
  if (restriction === undefined) return undefined;
  return new Set((table && restriction.rightsOn(table)?.visible)?.map(({ name }) => name) ?? []);
}
