import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column {
  readonly label: string;
  /** The label is only for screen readers: a column of buttons or icons. */
  readonly hidden?: boolean;
  /** CSS width; one column should have none and take the rest. */
  readonly width?: string;
  readonly align?: 'end';
  /** How wide the table has to be for the column to be shown; its cells carry `data-from` with the same word. */
  readonly from?: 'small' | 'medium' | 'wide';
}

/** A table of one kind of thing: quiet lines, hover, room for a link that covers the row. */
export function DataTable({
  label,
  columns,
  children,
}: {
  label: string;
  columns: readonly Column[];
  /** `<tr>` elements; cells of columns with `from` carry `data-from`. */
  children: ReactNode;
}) {
  return (
    <div className={classes['frame']}>
      <table className={classes['table']} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                style={{ width: column.width, textAlign: column.align }}
                data-from={column.from}
              >
                {column.hidden ? <span className="visually-hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
