/**
 * `millrace table …`: tables of a registered database and their rows, read as any caller reads
 * them.
 */
import { ConfigError } from '../../config.ts';
import type { Subcommands } from './client.ts';

/** Splits `pg/shop` into type and name. */
function databaseOf(text: string): { readonly type: string; readonly schema: string } {
  const [type = '', schema = '', ...more] = text.split('/');
  if (type === '' || schema === '' || more.length > 0) throw new ConfigError(`${JSON.stringify(text)} names no database; write pg/shop.`);
  return { type, schema };
}

/** Splits `pg/shop/users` into database and table, which may contain slashes. */
function tableOf(text: string): { readonly database: string; readonly table: string } {
  const [type = '', name = '', ...table] = text.split('/');
  if (type === '' || name === '' || table.length === 0)
    throw new ConfigError(`${JSON.stringify(text)} names no table; write pg/shop/users.`);
  return { database: `${type}/${name}`, table: table.join('/') };
}

/** Encodes a filter such as `age=gt.30`, and rejects an incomplete one. */
function condition(text: string): string {
  const at = text.indexOf('=');
  if (at < 1) throw new ConfigError(`${JSON.stringify(text)} is not a filter; write column=operator.value, such as age=gt.30.`);
  return `${encodeURIComponent(text.slice(0, at))}=${encodeURIComponent(text.slice(at + 1))}`;
}

export const TABLE_COMMANDS: Subcommands = {
  list: {
    usage: 'list TYPE/NAME',
    summary: 'the tables of a database that one may see',
    run: (client, flags) => client.list('rest/meta/v1/table/list', { query: databaseOf(flags.argument(0, 'the database')) }),
  },
  describe: {
    usage: 'describe TYPE/NAME/TABLE',
    summary: 'the columns of a table',
    run: (client, flags) => {
      const { database, table } = tableOf(flags.argument(0, 'the table'));
      return client.list('rest/meta/v1/table/detail', {
        query: { ...databaseOf(database), table },
        rows: (answer) => (answer as { columns: readonly Record<string, unknown>[] }).columns,
      });
    },
  },
  get: {
    usage:
      "get TYPE/NAME/TABLE ['column=operator.value'...] [--select a,b] [--order id.desc] [--page 0] [--page-size 20] [--format FORMAT]",
    summary: 'rows of a table',
    values: ['select', 'order', 'page', 'page-size', 'format'],
    run: (client, flags) => {
      const { database, table } = tableOf(flags.argument(0, 'the table'));
      const path = `${database}/${table}`.split('/').map(encodeURIComponent);
      const [type, name, ...rest] = path;
      const query = {
        pg: flags.get('page') ?? '0',
        ps: flags.get('page-size') ?? '20',
        $select: flags.get('select'),
        $order: flags.get('order'),
        format: flags.get('format'),
      };
      const filters = flags.rest.slice(1).map(condition).join('&');
      return client.list(`api/rest/auto/v1/${type}/${name}/${rest.join('%2F')}${filters === '' ? '' : `?${filters}`}`, { query });
    },
  },
};
