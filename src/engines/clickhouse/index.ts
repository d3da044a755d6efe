/** Registers ClickHouse: the entry of this folder. */
import type { Engine } from '../contract/engine.ts';
import { checkStatement } from './check-statement.ts';
import { clickhouseCatalog } from './dialect/catalog.ts';
import { clickhouseDialect } from './dialect/dialect.ts';
import { readPage } from './dialect/key-order.ts';
import { clickhouseSyntax } from './dialect/syntax.ts';
import { clickhouseBinder } from './dialect/template.ts';
import { connect } from './driver.ts';

export const clickhouseEngine: Engine = {
  type: 'ch',
  names: ['clickhouse'],
  label: 'ClickHouse',
  defaultPort: 9000,
  capabilities: {
    transactions: false,
    transactionalDdl: false,
    schemas: false,
    sharedReads: true,
    returning: [],
    readsBack: false,
    backgroundWrites: true,
    pipelining: [],
    bulkyWrites: 8,
  },
  dialect: clickhouseDialect,
  syntax: clickhouseSyntax,
  templateBinder: clickhouseBinder,
  catalog: clickhouseCatalog,
  readPage,
  checkStatement,
  connect,
};
