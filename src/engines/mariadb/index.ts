/**
 * Registers MariaDB: MySQL with another name and RETURNING. The driver detects the server when it
 * connects.
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
