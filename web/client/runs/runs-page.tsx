import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { RunOrder } from '../../../domain/requests/run-filter.js';
import { type Change, useChange } from '../address/change.js';
import { type Column, COLUMNS, type RunsSearch } from '../address/pages.js';
import { document as asked, runPages } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { typed } from '../parts/fields.js';
import { formatCount, plural } from '../../../domain/text/format.js';
import { Grid, type GridColumn } from '../parts/grid.js';
import { Empty, Shown } from '../parts/states.js';
import { RunLink, shortId } from '../parts/values.js';
import { useTitle } from '../parts/title.js';
import { rememberList } from './run-list.js';
import { DEFAULT_COLUMNS, type Run, RUN_COLUMNS } from './columns.js';
import { Facets } from './facets.js';
import { saveRuns } from './save.js';

/** On a phone: the state comes first. */
const NARROW_COLUMNS: readonly Column[] = ['state', 'best', 'model', 'task'];

/** By boxes or `x`. */
function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    ({ runId }: Run): void =>
      setSelected((now) => {
        const next = new Set(now);
        if (!next.delete(runId)) next.add(runId);
        return next;
      }),
    [],
  );
  return { selected, toggle, clear: () => setSelected(new Set()) };
}

export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const change = useChange('/runs');
  useTitle('Runs');
  const { sort = '-createdAt', columns: chosen, ...filter } = search;
  // A list of one batch follows that batch.
  const batch = filter.batch?.length === 1 && filter.batch[0]!.startsWith('b-') ? filter.batch[0]! : null;
  useLive(batch === null ? 'now' : `batch:${batch}`);
  const pages = useInfiniteQuery({ ...runPages({ ...filter, sort }), placeholderData: keepPreviousData });
  const facets = useQuery({ ...asked('runFacets', {}, filter), placeholderData: keepPreviousData });
  const runs = useMemo(() => pages.data?.pages.flatMap(({ runs: some }) => some) ?? [], [pages.data]);
  useEffect(() => rememberList(runs.map(({ runId }) => runId)), [runs]);
  const { selected, toggle, clear } = useSelection();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const shown = chosen ?? (window.innerWidth < 640 ? NARROW_COLUMNS : DEFAULT_COLUMNS);
  const total = facets.data?.total ?? null;
  const filtered = Object.keys(filter).length > 0;
  return (
    <div className="split">
      <aside aria-label="Filters">
        <details className="aside-fold" open={window.innerWidth > 900}>
          <summary>Filters</summary>
          <Facets facets={facets.data} search={search} change={change} />
        </details>
      </aside>
      <section className="fill">
        <div className="page-head">
          <h1>Runs</h1>
          <span className="muted" role="status">
            {total === null ? '' : filtered ? `${plural(total, 'run')} match` : plural(total, 'run')}
          </span>
          <span className="grow" />
          <TextFilters filter={filter} />
          {selected.size > 0 && <Compare selected={selected} clear={clear} />}
          <ColumnsMenu shown={shown} change={change} />
          <SaveMenu filter={{ ...filter, sort }} total={total} />
        </div>
        <Shown of={pages} what="runs" rows={16}>
          {() =>
            runs.length === 0 ? (
              <NoRuns filtered={filtered} />
            ) : (
              <RunGrid {...{ runs, total, more, shown, sort, selected, toggle }} />
            )
          }
        </Shown>
      </section>
    </div>
  );
}

type Filter = Omit<RunsSearch, 'sort' | 'columns'>;

function TextFilters({ filter }: { filter: Filter }) {
  const change = useChange('/runs');
  return (
    <>
      <input
        type="search"
        data-search
        placeholder="name, id or detail"
        aria-label="Filter runs by name, id or detail"
        defaultValue={filter.text ?? ''}
        key={filter.text === undefined ? 'none' : 'some'}
        onChange={(event) => change({ text: typed(event) }, true)}
        autoFocus={filter.text !== undefined}
      />
      <input
        type="search"
        className="wide-only"
        placeholder="some step contains…"
        aria-label="Filter runs by the text of their steps; Enter searches"
        title={'a text, "exactly this", or /a pattern/i'}
        defaultValue={filter.contains ?? ''}
        key={`contains ${filter.contains ?? ''}`}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          change({ contains: typed(event) });
        }}
      />
      {filter.contains !== undefined && (
        <Link to="/search" search={searchOf(filter)}>
          where?
        </Link>
      )}
    </>
  );
}

function Compare({ selected, clear }: { selected: ReadonlySet<string>; clear: () => void }) {
  const navigate = useNavigate();
  return (
    <>
      <button
        type="button"
        disabled={selected.size < 2 || selected.size > 8}
        onClick={() => void navigate({ to: '/compare', search: { runs: [...selected] } })}
      >
        Compare {selected.size}
      </button>
      <button type="button" className="plain" onClick={clear}>
        select none
      </button>
    </>
  );
}

function NoRuns({ filtered }: { filtered: boolean }) {
  const navigate = useNavigate({ from: '/runs' });
  return filtered ? (
    <Empty title="No run matches">
      <p>
        <button type="button" onClick={() => void navigate({ search: {} })}>
          Show all runs
        </button>
      </p>
    </Empty>
  ) : (
    <Empty title="There are no runs yet" command="bench demo --page">
      <p>The demo plays a few in a minute or two, without a key:</p>
    </Empty>
  );
}

interface GridOf {
  runs: readonly Run[];
  total: number | null;
  more: () => void;
  shown: readonly Column[];
  sort: string;
  selected: ReadonlySet<string>;
  toggle: (run: Run) => void;
}

function RunGrid({ runs, total, more, shown, sort, selected, toggle }: GridOf) {
  const navigate = useNavigate();
  const change = useChange('/runs');
  const columns = useMemo((): GridColumn<Run>[] => {
    const down = sort.startsWith('-');
    const order = (down ? sort.slice(1) : sort) as RunOrder;
    return [
      {
        key: 'select',
        title: <span className="unseen">Selected</span>,
        width: '1.1rem',
        cell: (run) => (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${shortId(run.runId)}`}
            checked={selected.has(run.runId)}
            onChange={() => toggle(run)}
          />
        ),
      },
      { key: 'id', title: 'Run', width: '6.5rem', cell: ({ runId }) => <RunLink id={runId} /> },
      ...shown.map((name): GridColumn<Run> => {
        const { title, width, right, order: by, down: first, cell } = RUN_COLUMNS[name];
        if (by === undefined) return { key: name, title, width, right, cell };
        const own = by === order;
        const next = own ? (down ? by : (`-${by}` as const)) : first === true ? (`-${by}` as const) : by;
        return {
          key: name,
          title,
          width,
          right,
          cell,
          sort: own ? (down ? 'descending' : 'ascending') : 'none',
          onSort: () => change({ sort: next }),
        };
      }),
    ];
  }, [shown, sort, selected, toggle, change]);
  return (
    <Grid
      label={`Runs, ${total === null ? '' : formatCount(total)}`}
      columns={columns}
      rows={runs}
      keyOf={({ runId }) => runId}
      total={total}
      onEnd={more}
      onOpen={({ runId }) => void navigate({ to: '/runs/$id', params: { id: runId } })}
      selected={selected}
      onSelect={toggle}
    />
  );
}

const searchOf = ({ contains, ...filter }: Filter) => ({
  ...filter,
  ...(contains !== undefined && { q: contains }),
});

function ColumnsMenu({ shown, change }: { shown: readonly string[]; change: Change<'/runs'> }) {
  return (
    <>
      <button type="button" className="plain" popoverTarget="columns">
        Columns
      </button>
      <div id="columns" popover="auto" className="menu">
        {COLUMNS.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={shown.includes(name)}
              onChange={({ currentTarget: { checked } }) => {
                const next = COLUMNS.filter((one) => (one === name ? checked : shown.includes(one)));
                change({ columns: next.length === 0 || next.join() === DEFAULT_COLUMNS.join() ? undefined : next });
              }}
            />
            {RUN_COLUMNS[name].title}
          </label>
        ))}
      </div>
    </>
  );
}

function SaveMenu({ filter, total }: { filter: Parameters<typeof saveRuns>[0]; total: number | null }) {
  const [state, setState] = useState<string | null>(null);
  const go = (format: 'csv' | 'json'): void => {
    setState('…');
    saveRuns(filter, format, (runs) =>
      setState(`${formatCount(runs)} of ${total === null ? '?' : formatCount(total)}`),
    ).then(
      () => setState(null),
      () => setState('failed'),
    );
  };
  return (
    <span className="row">
      {state !== null && <span className="muted">{state}</span>}
      <button type="button" className="plain" onClick={() => go('csv')}>
        CSV
      </button>
      <button type="button" className="plain" onClick={() => go('json')}>
        JSON
      </button>
    </span>
  );
}
