/** How statements are written and values bound, by the type of the database. */
import type { Engine } from '../../engines/engine.ts';
import type { Template } from '../../sql/bind.ts';
import type { SqlFlavour } from '../../sql/bind-scan.ts';
import type { Binder } from './binder.ts';
import { clickhouseBinder } from './clickhouse.ts';
import { mysqlBinder } from './mysql.ts';
import { postgresBinder } from './postgres.ts';

export interface Binding {
  readonly flavour: SqlFlavour;
  binder(template: Template): Binder;
}

const MYSQL: Binding = { flavour: 'mysql', binder: mysqlBinder };

const BINDINGS: Readonly<Record<string, Binding>> = {
  pg: { flavour: 'postgres', binder: postgresBinder },
  ms: MYSQL,
  ma: MYSQL,
  ch: { flavour: 'clickhouse', binder: clickhouseBinder },
};

export const bindingOf = ({ type }: Engine): Binding => BINDINGS[type] as Binding;
