import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { RunOrder } from '../../../domain/requests/run-filter.js';
import { type Column, COLUMNS, type RunsSearch } from '../address/pages.js';
import { document as asked, runPages } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { count, plural } from '../parts/format.js';
import { Grid, type GridColumn } from '../parts/grid.js';
import { Empty, Failure, Loading } from '../parts/states.js';
import { RunLink, shortId } from '../parts/values.js';
import { useTitle } from '../parts/title.js';
import { rememberList } from './came-from.js';
import { DEFAULT_COLUMNS, type Run, RUN_COLUMNS } from './columns.js';
import { Facets } from './facets.js';
import { saveRuns } from './save.js';

/** On a phone: how each run stands goes first. */
const NARROW_COLUMNS: readonly Column[] = ['state', 'best', 'model', 'task'];

export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  useTitle('Runs');
  const { sort = '-createdAt', columns: chosen, ...filter } = search;
  // A list of one batch follows that batch; of all, there is nothing to watch.
  const batch = filter.batch?.length === 1 && filter.batch[0]!.startsWith('b-') ? filter.batch[0]! : null;
  useLive(batch === null ? 'now' : `batch:${batch}`);
  const pages = useInfiniteQuery({ ...runPages({ ...filter, sort }), placeholderData: keepPreviousData });
  const facets = useQuery({ ...asked('runFacets', {}, filter), placeholderData: keepPreviousData });
  const runs = useMemo(() => pages.data?.pages.flatMap(({ runs: some }) => some) ?? [], [pages.data]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => rememberList(runs.map(({ runId }) => runId)), [runs]);

  const change = useCallback(
    (more: Partial<Record<keyof RunsSearch, unknown>>) =>
      void navigate({
        search: (now) => ({ ...now, ...more }) as RunsSearch,
        replace: Object.keys(more).length === 1 && 'text' in more,
      }),
    [navigate],
  );
  const toggle = (run: Run): void =>
    setSelected((now) => {
      const next = new Set(now);
      if (!next.delete(run.runId)) next.add(run.runId);
      return next;
    });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  const shown = chosen ?? (window.innerWidth < 640 ? NARROW_COLUMNS : DEFAULT_COLUMNS);
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
  }, [shown, sort, selected, change]);

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
          <input
            type="search"
            data-search
            placeholder="name, id or detail"
            aria-label="Filter runs by name, id or detail"
            defaultValue={filter.text ?? ''}
            key={filter.text === undefined ? 'none' : 'some'}
            onChange={(event) =>
              change({ text: event.currentTarget.value === '' ? undefined : event.currentTarget.value })
            }
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
              const typed = event.currentTarget.value;
              change({ contains: typed === '' ? undefined : typed });
            }}
          />
          {filter.contains !== undefined && (
            <Link to="/search" search={searchOf(filter)}>
              where?
            </Link>
          )}
          {selected.size > 0 && (
            <>
              <button
                type="button"
                disabled={selected.size < 2 || selected.size > 8}
                onClick={() => void navigate({ to: '/compare', search: { runs: [...selected] } })}
              >
                Compare {selected.size}
              </button>
              <button type="button" className="plain" onClick={() => setSelected(new Set())}>
                select none
              </button>
            </>
          )}
          <ColumnsMenu shown={shown} change={change} />
          <SaveMenu filter={{ ...filter, sort }} total={total} />
        </div>
        {pages.error !== null && runs.length === 0 ? (
          <Failure error={pages.error} retry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <Loading what="runs" rows={16} />
        ) : runs.length === 0 ? (
          filtered ? (
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
          )
        ) : (
          <Grid
            label={`Runs, ${total === null ? '' : count(total)}`}
            columns={columns}
            rows={runs}
            keyOf={({ runId }) => runId}
            total={total}
            onEnd={more}
            onOpen={({ runId }) => void navigate({ to: '/runs/$id', params: { id: runId } })}
            selected={selected}
            onSelect={toggle}
          />
        )}
      </section>
    </div>
  );
}

/** The same runs, and the places in them. */
const searchOf = ({ contains, ...filter }: Omit<RunsSearch, 'sort' | 'columns'>) => ({
  ...filter,
  ...(contains !== undefined && { q: contains }),
});

function ColumnsMenu({
  shown,
  change,
}: {
  shown: readonly string[];
  change: (more: Partial<Record<keyof RunsSearch, unknown>>) => void;
}) {
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
    saveRuns(filter, format, (runs) => setState(`${count(runs)} of ${total === null ? '?' : count(total)}`)).then(
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
