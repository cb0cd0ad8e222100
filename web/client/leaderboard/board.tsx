import { formatPercent, formatScore, formatUsd, plural } from '../../../domain/text/format.js';
import { Link } from '@tanstack/react-router';
import { startTransition, useEffect, useMemo, useState } from 'react';
import { costChart, costPoints } from './cost-chart.js';
import { heatCell } from './heat-cell.js';
import { winRateChart } from './win-rate-chart.js';
import { profilesChart } from './profiles-chart.js';
import { kindOf, methodLabel, rankedRows } from './methods.js';
import type { Answer } from '../../api/index.js';
import { ChartView } from '../parts/chart-view.js';
import { fixed, words } from '../parts/format.js';
import { isStatic } from '../static/form.js';
import { Scroll } from '../parts/table.js';
import { plainText, Text } from '../parts/text.js';
import { Money, Score } from '../parts/values.js';

/** As many as a window has. */
const FIRST_ROWS = 40;

type BoardData = Answer<'leaderboard'>;
type Row = BoardData['rows'][number];
type Task = BoardData['tasks'][number];
/** Opens the runs behind a figure. */
type Open = (row: Row, task?: string) => void;

interface Props {
  board: BoardData;
  onOpen: Open;
}
interface ScopeProps {
  of: BoardData['comparison'];
  /** An id or a name; `all`: every one; undefined: the newest. */
  onBatch: (batch: string | undefined) => void;
}

const areaOf = (board: BoardData): 'bestAup' | 'lastAup' => (kindOf(board) === 'best' ? 'bestAup' : 'lastAup');
const keyOf = (row: Row): string => JSON.stringify([row.model, row.kind, row.isolation]);

export function Board({ board, onOpen, onBatch }: Props & Pick<ScopeProps, 'onBatch'>) {
  // Rows beyond the window, and charts, are drawn when those within it are there.
  const [whole, setWhole] = useState(false);
  useEffect(() => startTransition(() => setWhole(true)), []);
  const ranked = rankedRows(board);
  return (
    <>
      <Scope of={board.comparison} onBatch={onBatch} />
      <Summary of={board} ranked={ranked.length} />
      {ranked.length > 0 && (
        <Ranked rows={whole ? ranked : ranked.slice(0, FIRST_ROWS)} board={board} onOpen={onOpen} />
      )}
      {whole && ranked.length > 0 && <Charts board={board} />}
      {board.rows.some(({ unranked }) => unranked !== null) && <NotRanked board={board} onOpen={onOpen} />}
    </>
  );
}

/** Whose runs these are, unless a saved comparison says it. */
function Scope({ of: { batchId, batchName, newest, saved }, onBatch }: ScopeProps) {
  if (saved !== null) return null;
  return (
    <p>
      {batchId === null ? (
        'All batches'
      ) : (
        <>
          Batch{' '}
          <Link to="/batches/$id" params={{ id: batchId }}>
            <Text value={batchName ?? batchId} />
          </Link>
          {newest && ', the newest with a run that counts'}
        </>
      )}{' '}
      {!isStatic && (
        <button type="button" className="plain" onClick={() => onBatch(batchId === null ? undefined : 'all')}>
          {batchId === null ? 'the newest' : 'all batches'}
        </button>
      )}
    </p>
  );
}

const Summary = ({ of: { comparison, tasks }, ranked }: { of: BoardData; ranked: number }) => (
  <p className="muted">
    {plural(ranked, 'model')} over {plural(tasks.filter(({ compared }) => compared).length, 'task')}, {comparison.mode},
    ordered by {comparison.order}
    {comparison.T !== null && `, T = ${fixed(comparison.T, 3)}${comparison.saved === null ? '' : ' (fixed)'}`}
    {comparison.sample ? ', on sample data' : ''}; budget {plainText(comparison.profile)}
    {comparison.otherProfiles
      .map(({ profile, runs }) => `; ${plural(runs, 'run')} under ${plainText(profile)} are omitted`)
      .join('')}
    . Figures depend on the models and tasks that are compared. Each figure opens the runs behind it.
    {comparison.prices.length > 0 && ` Prices: ${comparison.prices.map(priceText).join('; ')}.`}
  </p>
);

const priceText = ({ model, from, checked }: BoardData['comparison']['prices'][number]): string =>
  `${plainText(model)} of ${from}, ${checked === null ? 'never checked' : `checked ${checked}`}`;

function Charts({ board }: Pick<Props, 'board'>) {
  // Charts take names as they are.
  const data = useMemo(
    () => ({ ...board, rows: board.rows.map((row) => ({ ...row, model: plainText(row.model) })) }),
    [board],
  );
  const charts = useMemo(() => [winRateChart(data), profilesChart(data, kindOf(data))], [data]);
  return (
    <div className="charts">
      {charts.map((chart) => (
        <ChartView key={chart.id} chart={chart} />
      ))}
      {costPoints(data).length > 0 && <ChartView chart={costChart(data)} />}
    </div>
  );
}

function Ranked({ rows, ...props }: Props & { rows: readonly Row[] }) {
  const { board } = props;
  const tasks = board.tasks.filter(({ compared }) => compared);
  return (
    <Scroll label="Ranked models">
      <table className="board">
        <thead>
          <tr>
            <th className="right place">#</th>
            <th>Model</th>
            <th className="right">
              Win rate<span className="sub">95 %</span>
            </th>
            {tasks.map((task) => (
              <th key={task.task} className="right task">
                <Text value={task.name} />
                <span className="sub">
                  <Text value={task.primary} /> {task.direction === 'maximize' ? '↑' : '↓'}
                </span>
              </th>
            ))}
            <th>Group</th>
            <th className="right">P(best)</th>
            <th className="right">Gain</th>
            <th className="right">AUP</th>
            <th className="right">Improved</th>
            <th className="right">Avg. rank</th>
            <th className="right">$/run</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RankedRow key={keyOf(row)} row={row} tasks={tasks} {...props} />
          ))}
          {board.baseline !== null && <Baseline of={board.baseline} area={areaOf(board)} tasks={tasks} />}
        </tbody>
      </table>
    </Scroll>
  );
}

function RankedRow({ row, tasks, board, onOpen }: Props & { row: Row; tasks: readonly Task[] }) {
  const kind = kindOf(board);
  const area = areaOf(board);
  const interval = row.intervals?.[kind === 'best' ? 'bestWinRate' : 'lastWinRate'] ?? null;
  const first = row.intervals?.pBest?.[kind] ?? null;
  return (
    <tr>
      <td className="right number place">{row.rank ?? '–'}</td>
      <th scope="row">
        <Text value={methodLabel(row, board)} />
        <Flags of={row.flags} />
      </th>
      <td className="right number">
        {row.winRate?.[kind] == null ? '–' : formatPercent(row.winRate[kind])}
        {interval !== null && (
          <span className="sub muted interval">
            {formatPercent(interval.low)} – {formatPercent(interval.high)}
          </span>
        )}
      </td>
      {tasks.map((task) => (
        <TaskCell key={task.task} row={row} task={task} kind={kind} onOpen={onOpen} />
      ))}
      <td title="models with the same letter are not significantly different">{row.intervals?.group ?? '–'}</td>
      <td className="right number">{first === null ? '–' : formatPercent(first)}</td>
      <td className="right number" title={intervalTold(row.intervals?.[kind === 'best' ? 'bestGain' : 'lastGain'])}>
        {fixed(row.gain?.[kind], 3)}
      </td>
      <td className="right">
        <button type="button" className="figure" onClick={() => onOpen(row)}>
          <strong>{fixed(row[area], 3)}</strong>
        </button>
        {row.withSuspects !== null && (
          <span className="sub muted">{fixed(row.withSuspects[area], 3)} with suspects</span>
        )}
      </td>
      <td className="right number">
        {row.improvedTasks ?? '–'}
        <span className="muted">/{tasks.length}</span>
      </td>
      <td className="right number">{fixed(row.averageRank)}</td>
      <td className="right">
        <Money usd={row.costPerRunUsd} />
        {row.costKind !== 'charged' && <span className="sub muted">{row.costKind}</span>}
      </td>
    </tr>
  );
}

function Flags({ of }: { of: Row['flags'] }) {
  const flags = words(
    Object.entries(of)
      .map(([rule, runs]) => `${rule} ${runs}`)
      .join(', '),
  );
  if (flags === '') return null;
  return (
    <span className="flag" role="img" aria-label={`flags: ${flags}`} title={flags}>
      {' '}
      ⚑
    </span>
  );
}

function TaskCell({ row, task, kind, onOpen }: { row: Row; task: Task; kind: 'best' | 'last'; onOpen: Open }) {
  const cell = row.scores[task.task];
  const { text, note, shade } = heatCell(row, task, kind);
  return (
    <td className={`right ${shade}`}>
      {cell === undefined ? (
        text
      ) : (
        <button
          type="button"
          className="figure"
          onClick={() => onOpen(row, task.task)}
          title={`${cell.counted} of ${cell.attempts} runs counted, ${cell.scored} with a score`}
        >
          {text}
          {cell.suspect > 0 && ' ⚠'}
          {note !== undefined && <span className="sub"> {note}</span>}
        </button>
      )}
    </td>
  );
}

const Baseline = ({
  of: baseline,
  area,
  tasks,
}: {
  of: NonNullable<BoardData['baseline']>;
  area: 'bestAup' | 'lastAup';
  tasks: readonly Task[];
}) => (
  <tr>
    <td className="place" />
    <th scope="row" className="muted">
      baseline
    </th>
    <td />
    {tasks.map((task) => (
      <td key={task.task} className="right muted">
        <Score value={task.baseline} />
      </td>
    ))}
    <td colSpan={3} />
    <td className="right number muted">{fixed(baseline[area], 3)}</td>
    <td />
    <td className="right number muted">{fixed(baseline.averageRank)}</td>
    <td />
  </tr>
);

function NotRanked({ board, onOpen }: Props) {
  const kind = kindOf(board);
  return (
    <>
      <h2>Not ranked</h2>
      <Scroll label="Models that are not ranked">
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
            {board.rows
              .filter(({ unranked }) => unranked !== null)
              .map((row) => (
                <tr key={keyOf(row)}>
                  <th scope="row">
                    <Text value={methodLabel(row, board)} />
                  </th>
                  <td>{WHY[row.unranked!]}</td>
                  <td className="right number">{row.attempts}</td>
                  <td className="right number">
                    {row.costUsd !== null && row.unknownCosts > 0 && '≥ '}
                    {formatUsd(row.costUsd)}
                  </td>
                  {board.tasks.map(({ task }) => (
                    <td key={task} className="right">
                      {row.scores[task] === undefined ? (
                        <span className="none">–</span>
                      ) : (
                        <button type="button" className="figure" onClick={() => onOpen(row, task)}>
                          {row.scores[task][kind] === null ? 'none' : formatScore(row.scores[task][kind])}
                        </button>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
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
