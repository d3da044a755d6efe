/** How statements are written and values bound, by the type of the database. */
import type { Engine } from '../../engines/engine.ts';
import type { Template } from '../../sql/bind.ts';
import type { SqlFlavour } from '../../sql/bind-scan.ts';
import type { TemplateBinder } from './binder.ts';
import { clickhouseBinder } from './clickhouse.ts';
import { mysqlBinder } from './mysql.ts';
import { postgresBinder } from './postgres.ts';

export interface EngineBinding {
  readonly flavour: SqlFlavour;
  binder(template: Template): TemplateBinder;
}

const MYSQL: EngineBinding = { flavour: 'mysql', binder: mysqlBinder };

const BINDINGS: Readonly<Record<string, EngineBinding>> = {
  pg: { flavour: 'postgres', binder: postgresBinder },
  ms: MYSQL,
  ma: MYSQL,
  ch: { flavour: 'clickhouse', binder: clickhouseBinder },
};

export const bindingOf = ({ type }: Engine): EngineBinding => BINDINGS[type] as EngineBinding;
