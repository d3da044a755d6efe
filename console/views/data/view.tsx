/** The view data: databases, tables, rows, one row. */
import { useEffect } from 'preact/hooks';
import { viewAs } from '../../api/view-as.ts';
import { place } from '../../app/router.ts';
import { Databases } from './databases.tsx';
import './data.css';
import { OneRow } from './one-row.tsx';
import { TablePage } from './table-page.tsx';
import { Tables } from './tables.tsx';
import { forgetDetails } from './toolbar/related-table.ts';

export function View() {
  const [, dbType, schema, table, key] = place.value.segments;
  const persona = JSON.stringify(viewAs.value ?? null);
  useEffect(forgetDetails, [persona]);
  if (dbType === undefined || schema === undefined) return <Databases />;
  if (table === undefined) return <Tables key={`${dbType}/${schema}/${persona}`} target={{ dbType, schema }} />;
  const target = { dbType, schema, table };
  const shown = JSON.stringify([dbType, schema, table, persona]);
  if (key === undefined) return <TablePage key={shown} target={target} />;
  return <OneRow key={`${shown}${key}`} target={target} rowKey={key} />;
}
