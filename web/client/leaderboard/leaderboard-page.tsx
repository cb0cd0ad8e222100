import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { startTransition, useEffect, useMemo, useState } from 'react';
import type { Answer, Query } from '../../api/index.js';
import { aupChart } from '../../../report/aup-chart.js';
import { costChart, costPoints } from '../../../report/cost-chart.js';
import { profilesChart } from '../../../report/profiles-chart.js';
import { heatCell } from '../../../report/heat-cell.js';
import { methodLabel, rankedRows, type ReportData } from '../../../report/report-data.js';
import { LEADERBOARD_ORDERS, type LeaderboardSearch } from '../address/pages.js';
import { document as asked } from '../data/queries.js';
import { ChartView } from '../parts/chart-view.js';
import { fixed, percent, plural, score, usd, words } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { plainText, Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, Money, Score } from '../parts/values.js';
import { Evidence } from './evidence.js';

/** As many as a window has. */
const FIRST_ROWS = 40;

type Board = Answer<'leaderboard'>;
type Row = Board['rows'][number];

/** What is asked of the server: the address, without what is only shown. */
export function requestOf({
  over: _o,
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
  const navigate = useNavigate({ from: '/leaderboard' });
  useTitle('Leaderboard');
  const request = requestOf(search);
  const board = useQuery({
    ...asked('leaderboard', {}, request),
    placeholderData: keepPreviousData,
    staleTime: 15_000,
  });
  const change = (more: Partial<Record<keyof LeaderboardSearch, unknown>>): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...more }).filter(([, value]) => value !== undefined),
        ) as LeaderboardSearch,
    });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Leaderboard</h1>
        {board.isFetching && board.data !== undefined && <span className="muted">counting…</span>}
      </div>
      <Controls search={search} change={change} />
      <Shown of={board} what="the leaderboard" rows={10}>
        {(data) =>
          data.rows.length === 0 ? (
            <Empty title="Nothing to compare yet">
              <p>Runs of a model count once they have ended. Scripted agents are ranked only on request.</p>
              <p>
                <button
                  type="button"
                  onClick={() => change({ includeScripted: true, includeLocal: true, includeImported: true })}
                >
                  Rank every run
                </button>
              </p>
            </Empty>
          ) : (
            <BoardView board={data} search={search} change={change} />
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
    </div>
  );
}

type Change = (more: Partial<Record<keyof LeaderboardSearch, unknown>>) => void;

function Controls({ search, change }: { search: LeaderboardSearch; change: Change }) {
  const comparisons = useQuery(asked('comparisons', {}, {}));
  // Names of all models and tasks: counted once somebody chooses among them.
  const [choosing, setChoosing] = useState(search.models !== undefined || search.tasks !== undefined);
  const facets = useQuery({ ...asked('runFacets', {}, {}), enabled: choosing });
  const frozen = search.comparison !== undefined;
  const flag = (
    name: 'includeSuspect' | 'includeScripted' | 'includeLocal' | 'includeImported' | 'sample',
    title: string,
  ) => (
    <label>
      <input
        type="checkbox"
        checked={search[name] === true}
        disabled={frozen}
        onChange={(event) => change({ [name]: event.currentTarget.checked ? true : undefined })}
      />{' '}
      {title}
    </label>
  );
  const choose = (name: 'models' | 'tasks', values: readonly string[]) => (
    <details className="inline" onToggle={() => setChoosing(true)}>
      <summary>
        {name === 'models' ? 'Models' : 'Tasks'}: {search[name]?.length ?? 'all'}
      </summary>
      <div className="choice">
        {values.map((value) => (
          <label key={value}>
            <input
              type="checkbox"
              disabled={frozen}
              checked={search[name]?.includes(value) ?? true}
              onChange={(event) => {
                const now = search[name] ?? [...values];
                const next = event.currentTarget.checked ? [...now, value] : now.filter((one) => one !== value);
                change({ [name]: next.length === values.length || next.length === 0 ? undefined : next });
              }}
            />{' '}
            <Text value={value} />
          </label>
        ))}
      </div>
    </details>
  );
  return (
    <div className="controls" role="group" aria-label="What is compared">
      {(comparisons.data?.comparisons.length ?? 0) > 0 && (
        <label>
          Saved{' '}
          <select
            value={search.comparison ?? ''}
            onChange={(event) =>
              void change({
                ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
                comparison: event.currentTarget.value === '' ? undefined : event.currentTarget.value,
              })
            }
          >
            <option value="">–</option>
            {comparisons.data!.comparisons.map(({ name }) => (
              <option key={name} value={name}>
                {plainText(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        By{' '}
        <select
          value={search.metric ?? 'best-attempt'}
          onChange={(event) =>
            change({ metric: event.currentTarget.value === 'best-attempt' ? undefined : event.currentTarget.value })
          }
        >
          <option value="best-attempt">best attempt</option>
          <option value="best-submission">best submission</option>
        </select>
      </label>
      <label>
        Ordered by{' '}
        <select
          value={search.order ?? ''}
          onChange={(event) =>
            change({ order: event.currentTarget.value === '' ? undefined : event.currentTarget.value })
          }
        >
          <option value="">as usual</option>
          {LEADERBOARD_ORDERS.map((order) => (
            <option key={order}>{order}</option>
          ))}
        </select>
      </label>
      <label>
        Mode{' '}
        <select
          value={search.mode ?? 'strict'}
          disabled={frozen}
          onChange={(event) =>
            change({ mode: event.currentTarget.value === 'strict' ? undefined : event.currentTarget.value })
          }
        >
          <option>strict</option>
          <option>compat</option>
        </select>
      </label>
      <label>
        First{' '}
        <input
          type="number"
          min={1}
          disabled={frozen}
          aria-label="first k runs"
          placeholder="all"
          value={search.k ?? ''}
          onChange={(event) =>
            change({
              k: Number.isNaN(event.currentTarget.valueAsNumber)
                ? undefined
                : Math.max(1, event.currentTarget.valueAsNumber),
            })
          }
        />{' '}
        runs
      </label>
      <label>
        T{' '}
        <input
          type="number"
          step="any"
          disabled={frozen}
          aria-label="length of the profiles' axis"
          placeholder="by data"
          value={search.T ?? ''}
          onChange={(event) =>
            change({ T: event.currentTarget.valueAsNumber > 0 ? event.currentTarget.valueAsNumber : undefined })
          }
        />
      </label>
      <label>
        Intervals over{' '}
        <select
          value={search.over ?? 'tasks'}
          onChange={(event) =>
            change({ over: event.currentTarget.value === 'tasks' ? undefined : event.currentTarget.value })
          }
        >
          <option>tasks</option>
          <option>attempts</option>
        </select>
      </label>
      {choose(
        'models',
        (facets.data?.facets.model ?? []).map(({ value }) => value),
      )}
      {choose(
        'tasks',
        (facets.data?.facets.task ?? []).map(({ value }) => value),
      )}
      {flag('includeSuspect', 'suspect scores')}
      {flag('includeScripted', 'scripted')}
      {flag('includeLocal', 'without isolation')}
      {flag('includeImported', 'imported')}
      {flag('sample', 'sample data')}
      {Object.keys(search).length > 0 && (
        <button
          type="button"
          className="plain"
          onClick={() => change(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
        >
          reset
        </button>
      )}
    </div>
  );
}

function BoardView({ board, search, change }: { board: Board; search: LeaderboardSearch; change: Change }) {
  // Rows beyond the window, and charts, are drawn when those within it are there.
  const [whole, setWhole] = useState(false);
  useEffect(() => startTransition(() => setWhole(true)), []);
  const over = search.over ?? 'tasks';
  const kind = board.comparison.metric === 'best-submission' ? 'last' : 'best';
  const area = kind === 'best' ? 'bestAup' : 'lastAup';
  const ranked = rankedRows(board);
  const others = board.rows.filter(({ unranked }) => unranked !== null);
  const data = useMemo(
    (): ReportData => ({
      subject: '',
      generatedAt: '',
      harnessVersion: '',
      over,
      // Charts take names as they are.
      board: { ...board, rows: board.rows.map((row) => ({ ...row, model: plainText(row.model) })) },
      runs: [],
      actions: [],
      trees: [],
      training: null,
    }),
    [board, over],
  );
  const charts = useMemo(
    () => (!whole || rankedRows(board).length === 0 ? [] : [aupChart(data), profilesChart(data, kind)]),
    [data, board, kind, whole],
  );
  const tasks = board.tasks.filter(({ compared }) => compared);
  const open = (row: Row, task?: string): void =>
    change({ model: row.model, kind: row.kind, isolation: row.isolation, task });
  return (
    <>
      <p className="muted">
        {plural(ranked.length, 'model')} over {plural(tasks.length, 'task')}, {board.comparison.mode}, ordered by{' '}
        {board.comparison.order}
        {board.comparison.T !== null &&
          `, T = ${fixed(board.comparison.T, 3)}${board.comparison.fixedT ? ' (given)' : ''}`}
        {board.comparison.sample ? ', on sample data' : ''}; budget {plainText(board.comparison.profile)}
        {board.comparison.otherProfiles
          .map(({ profile, runs }) => `; ${plural(runs, 'run')} under ${plainText(profile)} are omitted`)
          .join('')}
        . Figures depend on the models and tasks that are compared. Each figure opens the runs behind it.
      </p>
      {ranked.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Ranked models">
          <table>
            <thead>
              <tr>
                <th className="right">#</th>
                <th>Model</th>
                <th className="right">Win rate</th>
                <th className="right">Gain</th>
                <th className="right">AUP</th>
                <th>95 % of AUP</th>
                <th>Group</th>
                <th className="right">P(best)</th>
                <th className="right">Improved</th>
                <th className="right">Avg. rank</th>
                <th className="right">$/run</th>
                {tasks.map((task) => (
                  <th key={task.task} className="right">
                    <Text value={task.name} />
                    <span className="sub">
                      <Text value={task.primary} /> {task.direction === 'maximize' ? '↑' : '↓'}
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(whole ? ranked : ranked.slice(0, FIRST_ROWS)).map((row) => {
                const uncertainty = row.intervals?.[over];
                const interval = uncertainty?.[area] ?? null;
                const first = uncertainty?.pBest?.[kind];
                return (
                  <tr key={JSON.stringify([row.model, row.kind, row.isolation])}>
                    <td className="right number">{row.rank ?? '–'}</td>
                    <th scope="row">
                      <Text value={methodLabel(row, board)} />
                      {Object.keys(row.flags).length > 0 && ' '}
                      {Object.keys(row.flags).length > 0 && (
                        <Badge tone="warn" mark="⚑">
                          {words(
                            Object.entries(row.flags)
                              .map(([rule, runs]) => `${rule} ${runs}`)
                              .join(', '),
                          )}
                        </Badge>
                      )}
                    </th>
                    <td
                      className="right number"
                      title={intervalTold(uncertainty?.[kind === 'best' ? 'bestWinRate' : 'lastWinRate'])}
                    >
                      {row.winRate?.[kind] == null ? '–' : percent(row.winRate[kind])}
                    </td>
                    <td
                      className="right number"
                      title={intervalTold(uncertainty?.[kind === 'best' ? 'bestGain' : 'lastGain'])}
                    >
                      {fixed(row.gain?.[kind], 3)}
                    </td>
                    <td className="right">
                      <button type="button" className="figure" onClick={() => open(row)}>
                        <strong>{fixed(row[area], 3)}</strong>
                      </button>
                      {row.withSuspects !== null && (
                        <span className="sub muted">{fixed(row.withSuspects[area], 3)} with suspects</span>
                      )}
                    </td>
                    <td className="number muted">
                      {interval === null ? '–' : `${fixed(interval.low, 3)} – ${fixed(interval.high, 3)}`}
                    </td>
                    <td title="models with the same letter are not significantly different">
                      {uncertainty?.group ?? '–'}
                    </td>
                    <td className="right number">{first === undefined || first === null ? '–' : percent(first)}</td>
                    <td className="right number">
                      {row.improvedTasks ?? '–'}
                      <span className="muted">/{tasks.length}</span>
                    </td>
                    <td className="right number">{fixed(row.averageRank)}</td>
                    <td className="right">
                      <Money usd={row.costPerRunUsd ?? row.recordedCostPerRunUsd} />
                    </td>
                    {tasks.map((task) => {
                      const cell = row.scores[task.task];
                      const { text, shade } = heatCell(row, task, kind);
                      return (
                        <td key={task.task} className={`right ${shade}`}>
                          {cell === undefined ? (
                            text
                          ) : (
                            <button
                              type="button"
                              className="figure"
                              onClick={() => open(row, task.task)}
                              title={`${cell.counted} of ${cell.attempts} runs counted, ${cell.scored} with a score`}
                            >
                              {text}
                              {cell.suspect > 0 && ' ⚠'}
                            </button>
                          )}
                        </td>
                      );
                    })}
                  </tr>
                );
              })}
              {board.baseline !== null && (
                <tr>
                  <td />
                  <th scope="row" className="muted">
                    baseline
                  </th>
                  <td colSpan={2} />
                  <td className="right number muted">{fixed(board.baseline[area], 3)}</td>
                  <td colSpan={4} />
                  <td className="right number muted">{fixed(board.baseline.averageRank)}</td>
                  <td />
                  {tasks.map((task) => (
                    <td key={task.task} className="right muted">
                      <Score value={task.baseline} />
                    </td>
                  ))}
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
      {charts.length > 0 && (
        <div className="charts">
          {charts.map((chart) => (
            <ChartView key={chart.id} chart={chart} />
          ))}
          {costPoints(data).length > 0 && <ChartView chart={costChart(data)} />}
        </div>
      )}
      {others.length > 0 && (
        <>
          <h2>Not ranked</h2>
          <div className="scroll" tabIndex={0} role="region" aria-label="Models that are not ranked">
            <table>
              <thead>
                <tr>
                  <th>Model</th>
                  <th>Why</th>
                  <th className="right">Runs</th>
                  <th className="right">Cost</th>
                  {board.tasks.map(({ task, name }) => (
                    <th key={task} className="right">
                      <Text value={name} />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {others.map((row) => (
                  <tr key={JSON.stringify([row.model, row.kind, row.isolation])}>
                    <th scope="row">
                      <Text value={methodLabel(row, board)} />
                    </th>
                    <td>{WHY[row.unranked!]}</td>
                    <td className="right number">{row.attempts}</td>
                    <td className="right number">{usd(row.costUsd)}</td>
                    {board.tasks.map(({ task }) => (
                      <td key={task} className="right">
                        {row.scores[task] === undefined ? (
                          <span className="none">–</span>
                        ) : (
                          <button type="button" className="figure" onClick={() => open(row, task)}>
                            {row.scores[task][kind] === null ? 'none' : score(row.scores[task][kind])}
                          </button>
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

const intervalTold = (interval: { low: number; high: number } | null | undefined): string | undefined =>
  interval == null ? undefined : `95 %: ${fixed(interval.low, 3)} to ${fixed(interval.high, 3)}`;

const WHY = {
  import: 'imported from another home',
  isolation: 'ran without isolation',
  kind: 'no model: scripted, replayed or a person',
  never_ran: 'no run counts',
  spoiler: 'was shown the solution',
};
