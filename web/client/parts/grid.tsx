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
  /** Null: not known. */
  total: number | null;
  /** Near the end of the loaded rows. */
  onEnd?: (() => void) | undefined;
  onOpen: (row: Row) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (row: Row) => void;
  minWidth?: string;
}

const ROW_HEIGHT = { dense: 30, comfortable: 40 };

/** Moves the focus between rows, also to those not rendered; one row stays in the tab order. */
function useRowFocus(
  scroller: React.RefObject<HTMLDivElement | null>,
  virtual: { scrollToIndex: (index: number, options: { align: 'auto' }) => void },
  last: number,
) {
  const at = useRef(0);
  const focus = (index: number): void => {
    const to = Math.max(0, Math.min(last, index));
    at.current = to;
    virtual.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus({ preventScroll: true }),
    );
  };
  const focused = (): number => {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]');
    return row === null || row === undefined ? -1 : Number(row.dataset['row']);
  };
  const step = (by: number): void => focus(focused() === -1 ? at.current : focused() + by);
  /** False: not our key. */
  const onKey = (key: string): boolean => {
    if (key === 'ArrowDown') step(1);
    else if (key === 'ArrowUp') step(-1);
    else if (key === 'Home') focus(0);
    else if (key === 'End') focus(last);
    else return false;
    return true;
  };
  return { at, focused, step, onKey };
}

/** Renders only visible rows. One row is in the tab order: `j k` and arrows move it. */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, columns, rows, keyOf, total, onEnd, onOpen, selected, onSelect, minWidth } = props;
  const { density } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
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
  const { at, focused, step, onKey } = useRowFocus(scroller, virtual, rows.length - 1);
  const select = {
    keys: 'x',
    does: 'select',
    run: () => rows[focused()] !== undefined && onSelect?.(rows[focused()]!),
  };
  useKeys('Rows', [
    { keys: 'j', does: 'next row', run: () => step(1) },
    { keys: 'k', does: 'row before', run: () => step(-1) },
    ...(onSelect === undefined ? [] : [select]),
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
      <GridHead columns={columns} style={template} />
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
                else if (!onKey(event.key)) return;
                event.preventDefault();
              }}
              onClick={(event) => isPlainClick(event) && onOpen(row)}
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

/** Not on a part with its own click, nor the end of a text selection. */
const isPlainClick = (event: React.MouseEvent): boolean =>
  (event.target as HTMLElement).closest('a, button, input, label') === null && getSelection()?.isCollapsed !== false;

const MARKS = { ascending: ' ▴', descending: ' ▾', none: '' } as const;

const GridHead = <Row,>({ columns, style }: { columns: readonly GridColumn<Row>[]; style: React.CSSProperties }) => (
  <div className="grid-head" role="row" aria-rowindex={1} style={style}>
    {columns.map(({ key, title, right, sort, onSort }) => (
      <div key={key} role="columnheader" aria-sort={sort} className={right === true ? 'right' : undefined}>
        {onSort === undefined ? (
          title
        ) : (
          <button type="button" className="plain" onClick={onSort}>
            {title}
            <span aria-hidden="true">{MARKS[sort ?? 'none']}</span>
          </button>
        )}
      </div>
    ))}
  </div>
);
