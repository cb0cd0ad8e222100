export interface Column<Row> {
  title?: React.ReactNode;
  /** Figures are right-aligned. */
  right?: true;
  names?: true;
  className?: string;
  cell: (row: Row, place: number) => React.ReactNode;
}

/** Renders all rows. With a label it is a scrolling region; `false` omits a column. */
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

export const Scroll = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div className="scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
);
