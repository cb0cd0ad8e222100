export interface Column<Row> {
  title?: React.ReactNode;
  /** Figures stand at the right, below one another. */
  right?: true;
  /** It names its row. */
  names?: true;
  /** Of its cells. */
  className?: string;
  cell: (row: Row, place: number) => React.ReactNode;
}

/** Rows that are all drawn. With a label it is a region that scrolls by itself; `false` leaves a column out. */
export function Table<Row>({
  rows,
  columns,
  rowKey,
  label,
  wide = false,
  none,
}: {
  rows: readonly Row[];
  columns: readonly (Column<Row> | false)[];
  rowKey: (row: Row, place: number) => React.Key;
  label?: string;
  wide?: boolean;
  /** What is said where there are no rows. */
  none?: string;
}) {
  if (none !== undefined && rows.length === 0) return <p className="muted">{none}</p>;
  const shown = columns.filter((column) => column !== false);
  const table = (
    <table className={wide ? 'wide' : undefined}>
      <thead>
        <tr>
          {shown.map(({ title, right }, i) => (
            <th key={i} className={right && 'right'}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={rowKey(row, place)}>
            {shown.map(({ right, names, className, cell }, i) =>
              names ? (
                <th key={i} scope="row" className={className}>
                  {cell(row, place)}
                </th>
              ) : (
                <td key={i} className={right ? `right number ${className ?? ''}`.trim() : className}>
                  {cell(row, place)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
  return label === undefined ? table : <Scroll label={label}>{table}</Scroll>;
}

/** A region that scrolls by itself. */
export const Scroll = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div className="scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
);
