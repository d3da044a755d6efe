/** Properties of the panels of the toolbar. */
import type { TableDetail } from '../../../api/types.ts';
import type { TableQuery } from '../query/query.ts';

/** Properties that every panel of the toolbar has. */
export interface PanelProps {
  readonly database: string;
  readonly table: TableDetail;
  readonly query: TableQuery;
  readonly search: string;
}

export interface EditingPanelProps extends PanelProps {
  readonly onChange: (part: Partial<TableQuery>) => void;
}
