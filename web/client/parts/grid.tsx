import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { usePreferences } from '../shell/preferences.js';
import { useKeys } from '../keys/keys.js';

export interface GridColumn<Row> {
  key: string;
  title: React.ReactNode;
  width: string;
  right?: boolean | undefined;
  sort?: 'ascending' | 'descending' | 'none' | undefined;
  onSort?: (() => void) | undefined;
  cell: (row: Row) => React.ReactNode;
}

interface GridProps<Row> {
  label: string;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** How many there are; null: not known. */
  total: number | null;
  /** Near the end of those that are here. */
  onEnd?: (() => void) | undefined;
  onOpen: (row: Row) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (row: Row) => void;
  /** Where columns take more than the screen has. */
  minWidth?: string;
}

const ROW_HEIGHT = { dense: 30, comfortable: 40 };

/** Rows of which those in sight are made. One of them takes part in the order of focus: `j k` and arrows move it. */
export function Grid<Row>({
  label,
  columns,
  rows,
  keyOf,
  total,
  onEnd,
  onOpen,
  selected,
  onSelect,
  minWidth,
}: GridProps<Row>) {
  const { density } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const at = useRef(0);
  const wantsFocus = useRef(false);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT[density],
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [density, virtual]);
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 40) onEnd?.();
  }, [last, rows.length, onEnd]);
  const focus = (index: number): void => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    at.current = to;
    wantsFocus.current = true;
    virtual.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() => {
      wantsFocus.current = false;
      scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus({ preventScroll: true });
    });
  };
  const focused = (): number => {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]');
    return row === null || row === undefined ? -1 : Number(row.dataset['row']);
  };
  const step = (by: number): void => focus(focused() === -1 ? at.current : focused() + by);
  const rowNow = (): Row | undefined => rows[focused()];
  useKeys('Rows', [
    { keys: 'j', does: 'next row', run: () => step(1) },
    { keys: 'k', does: 'row before', run: () => step(-1) },
    ...(onSelect === undefined
      ? []
      : [{ keys: 'x', does: 'select', run: () => rowNow() !== undefined && onSelect(rowNow()!) }]),
  ]);
  const wide = minWidth === undefined ? {} : { minWidth: `max(100%, ${minWidth})` };
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' '), ...wide };
  return (
    <div
      className="grid"
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={total === null ? -1 : total + 1}
      aria-multiselectable={onSelect !== undefined}
      tabIndex={-1}
    >
      <div className="grid-head" role="row" aria-rowindex={1} style={template}>
        {columns.map(({ key, title, right, sort, onSort }) => (
          <div key={key} role="columnheader" aria-sort={sort} className={right === true ? 'right' : undefined}>
            {onSort === undefined ? (
              title
            ) : (
              <button type="button" className="plain" onClick={onSort}>
                {title}
                <span aria-hidden="true">{sort === 'ascending' ? ' ▴' : sort === 'descending' ? ' ▾' : ''}</span>
              </button>
            )}
          </div>
        ))}
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize(), ...wide }}>
        {shown.map(({ index, start, size }) => {
          const row = rows[index]!;
          const key = keyOf(row);
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selected?.has(key)}
              data-row={index}
              tabIndex={index === Math.min(at.current, rows.length - 1) || shown[0]?.index === index ? 0 : -1}
              className="grid-row"
              style={{ ...template, transform: `translateY(${start}px)`, height: size }}
              onFocus={() => (at.current = index)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
                else if (event.key === 'ArrowDown') step(1);
                else if (event.key === 'ArrowUp') step(-1);
                else if (event.key === 'Home') focus(0);
                else if (event.key === 'End') focus(rows.length - 1);
                else return;
                event.preventDefault();
              }}
              onClick={(event) => {
                if (
                  (event.target as HTMLElement).closest('a, button, input, label') === null &&
                  getSelection()?.isCollapsed !== false
                )
                  onOpen(row);
              }}
            >
              {columns.map((column) => (
                <div key={column.key} role="gridcell" className={column.right === true ? 'right' : undefined}>
                  {column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
