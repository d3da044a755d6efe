/**
 * MariaDB as an engine: everything is MySQL's, since the driver finds out on connecting which of the two it speaks to.
 */
import type { Engine } from '../contract/engine.ts';
import { mysqlEngine } from '../mysql/index.ts';

export const mariadbEngine: Engine = {
  ...mysqlEngine,
  type: 'ma',
  names: ['mariadb'],
  label: 'MariaDB',
  capabilities: { ...mysqlEngine.capabilities, returning: ['insert', 'delete'] },
};
