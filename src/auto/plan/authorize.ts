/**
 * Restricts plans to what their caller may do. Planners use only `visibleTable` and pass every plan
 * to `authorize`; only an `Authorized` plan compiles to SQL. Pure.
 */
import { apiError } from '../../errors.ts';
import type { Operation } from '../../model/persona.ts';
import type { DeclaredKey } from '../../model/relation.ts';
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

/** Returns the table as the caller sees it for an operation. */
export function visibleTable(table: Table, { restriction }: Access, operation: Operation): Table {
  return restriction === undefined ? table : rightOn(table, restriction, operation).view;
}

/** Returns a related table as the caller sees it, or `undefined` if the caller may not read it. */
export function reachableTable(table: Table, { restriction }: Access): Table | undefined {
  if (restriction === undefined) return table;
  const isReadable = restriction.rightsOn(table)?.rights.read !== undefined;
  return isReadable ? rightOn(table, restriction, 'read').view : undefined;
}

/**
 * Keys that the caller may know. Relations derive from these only, so that a hidden table or column
 * leads to the same response as a missing one.
 */
export function visibleKeys<K extends DeclaredKey>(keys: readonly K[], { restriction }: Access): readonly K[] {
  return restriction === undefined ? keys : restriction.visibleKeys(keys);
}

interface ViewGrant {
  readonly right: Right;
  readonly operation: Operation;
  readonly rights: TableRights;
  readonly persona: string;
}

/**
 * The right that each view belongs to. A plan on any other table bypassed the rules and is
 * rejected.
 */
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

/** Restricts a plan to the caller's rights. The rule of `operation` applies to its rows. */
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

function withRule(where: Condition | undefined, right: Right, subject: Subject): Condition | undefined {
  const rule = conditionOf(right, subject);
  if (rule === undefined || where === undefined) return rule ?? where;
  return { op: 'and', of: [rule, where] };
}

const ruleConditions = memoPair((rule: CallerRule, subject: Subject) => rule(subject));

function conditionOf({ rule }: Right, subject: Subject): Condition | undefined {
  return typeof rule === 'function' ? ruleConditions(rule, subject) : rule;
}

/**
 * Selected columns must be readable, part of the key, or in the order, which only sealed cursors
 * contain.
 */
function checkShown({ columns, table, order }: SelectPlan): void {
  if (columns === table.columns) return;
  for (const column of columns)
    if (!isReadable(table, column) && !ownKey(table).includes(column) && !order.some((term) => term.column === column))
      throw new Error('a column was selected past the rules');
}

function isReadable({ viewRights }: Table, column: Column): boolean {
  return viewRights?.readable.has(column) === true;
}

/**
 * Throws if the caller may not write one of the columns. Called before values are checked, so that
 * this error comes first.
 */
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

/** Authorizes rows with keys. A key column with a preset may not be sent. */
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

/**
 * An upsert may set the columns that both insert and update grant, on rows that match the update
 * rule.
 */
function conflictUpdate(rights: TableRights, columns: readonly Column[], key: readonly Column[], subject: Subject): ConflictUpdate {
  const update = grantedIn(rights, 'update', subject);
  const set = columns.filter((column) => update.columns.has(column) && !key.includes(column));
  return { set, where: conditionOf(update, subject) };
}

/**
 * Authorizes upsert rows that lack a required column, so that they can only update existing rows.
 */
export function authorizeUpsertUpdates(plan: UpdateRowsPlan, { restriction }: Access): Authorized<UpdateRowsPlan> {
  if (restriction === undefined) return plan as Authorized<UpdateRowsPlan>;
  const { subject } = restriction;
  const grant = viewGrantFor(plan.table, 'insert');
  checkColumns(plan.columns, grant);
  const filled = plan.key.some((column) => isPreset(grant, column)) ? withPresetValues(plan, grant.right, subject) : {};
  return { ...plan, ...filled, ...conflictUpdate(grant.rights, plan.columns, plan.key, subject) } as Authorized<UpdateRowsPlan>;
}

export function hasPreset(view: Table, column: Column): boolean {
  const grant = viewGrants.get(view);
  return grant !== undefined && isPreset(grant, column);
}

function isPreset({ right }: ViewGrant, column: Column): boolean {
  return right.presets.some((preset) => preset.column === column);
}

/** Returns a required column that the caller may not write; `null` if its name is hidden. */
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

/** Appends the preset values to every row. */
function withPresetValues({ columns, rows }: Rows, right: Right, subject: Subject): Rows {
  if (right.presets.length === 0) return { columns, rows };
  return { columns: withPresetColumns(columns, right), rows: rows.withEach(right.presets.map(({ valueFor }) => valueFor(subject))) };
}

/** Returns the view on which written rows are read back. */
export function readableTable(view: Table, { restriction }: Access): Table {
  if (restriction === undefined) return view;
  const { rights } = viewGrantOf(view);
  const right = grantedIn(rights, 'read', restriction.subject);
  if (!viewGrants.has(right.view)) viewGrants.set(right.view, { right, operation: 'read', rights, persona: restriction.subject.persona });
  return right.view;
}

/** `true` if the caller may read every row without masks. */
export function isOpenToRead(view: Table, { restriction }: Access): boolean {
  if (restriction === undefined) return true;
  const { rule, masks } = viewGrantFor(view, 'read').right;
  return rule === undefined && masks.size === 0;
}

/** Estimates cover all rows, so they could reveal rows that the caller may not read. */
export function mayEstimate(view: Table, access: Access, hasRelations: boolean): boolean {
  return access.restriction === undefined || (!hasRelations && isOpenToRead(view, access));
}

export function maxPageSize(view: Table, { restriction }: Access): number | undefined {
  return restriction === undefined ? undefined : viewGrantFor(view, 'read').right.maxPageSize;
}

/** Throws if a page is too large. `name` is the parameter of the page size. */
export function checkPageSize(view: Table, access: Access, name: string, size: number): void {
  const max = maxPageSize(view, access);
  if (max !== undefined && size > max) throw apiError('paging_invalid', name, `it may be ${max} at most`);
}

/** Column names that an error may mention; `undefined` means all. */
export function visibleColumnNames({ restriction }: Access, table: Table | undefined): ReadonlySet<string> | undefined {
  if (restriction === undefined) return undefined;
  return new Set((table && restriction.rightsOn(table)?.visible)?.map(({ name }) => name) ?? []);
}
