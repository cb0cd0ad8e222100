import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Query } from '../../api/index.js';
import { useChange } from '../address/change.js';
import type { LeaderboardSearch } from '../address/pages.js';
import { document as asked } from '../data/queries.js';
import { Page } from '../parts/page.js';
import { Empty, Shown } from '../parts/states.js';
import { useTitle } from '../parts/title.js';
import { Board } from './board.js';
import { Controls } from './controls.js';
import { Evidence } from './evidence.js';

/** What is asked of the server: the address, without what is only shown. */
export function requestOf({
  without: _w,
  model: _m,
  kind: _k,
  isolation: _i,
  task: _t,
  ...search
}: LeaderboardSearch): Query<'leaderboard'> {
  return search;
}

export function LeaderboardPage() {
  const search = useSearch({ from: '/leaderboard' });
  const change = useChange('/leaderboard');
  useTitle('Leaderboard');
  const request = requestOf(search);
  const board = useQuery({
    ...asked('leaderboard', {}, request),
    placeholderData: keepPreviousData,
    staleTime: 15_000,
  });
  return (
    <Page
      title="Leaderboard"
      head={board.isFetching && board.data !== undefined && <span className="muted">counting…</span>}
    >
      <Controls search={search} change={change} />
      <Shown of={board} what="the leaderboard" rows={10}>
        {(data) =>
          data.rows.length === 0 ? (
            <Empty title="Nothing to compare yet">
              <p>Runs of a model count once they have ended. Scripted agents are ranked only on request.</p>
              <p>
                <button type="button" onClick={() => change({ include: ['scripted', 'local', 'imported'] })}>
                  Rank every run
                </button>
              </p>
            </Empty>
          ) : (
            <Board
              board={data}
              onOpen={({ model, kind, isolation }, task) => change({ model, kind, isolation, task })}
              onBatch={(batch) => change({ batch })}
            />
          )
        }
      </Shown>
      {search.model !== undefined && search.kind !== undefined && search.isolation !== undefined && (
        <Evidence
          board={board.data}
          request={request}
          cell={{
            model: search.model,
            kind: search.kind,
            isolation: search.isolation,
            ...(search.task === undefined ? {} : { task: search.task }),
          }}
          onClose={() => change({ model: undefined, kind: undefined, isolation: undefined, task: undefined })}
        />
      )}
    </Page>
  );
}
