import { formatDuration, formatPercent, formatScore, formatUsd, plural } from '../../domain/text/format.js';
import { verdictText } from '../../domain/text/verdict.js';
import type { Pairs } from '../../domain/views/pairs.js';
import type { LeaderboardForm } from './leaderboard.js';
import type { Column } from './table.js';

type Task = Pairs['tasks'][number];

/** The verdict in one sentence, then the tasks and the sides. */
export function renderComparison(pairs: Pairs, form: Pick<LeaderboardForm, 'title' | 'table' | 'note'>): string {
  return [
    form.title(verdictText(pairs)),
    ...(pairs.tasks.length === 0 ? [] : ['', form.table(pairs.tasks, taskColumns)]),
    '',
    form.table([...sidesOf(pairs)], sideColumns(pairs)),
    '',
    ...notes(pairs).map((note) => form.note(note)),
  ].join('\n');
}

const taskColumns: readonly Column<Task>[] = [
  { title: 'task', value: ({ task, direction }) => `${task} ${direction === 'maximize' ? '↑' : '↓'}` },
  { title: 'pairs', value: ({ pairs }) => String(pairs.length), align: 'right' },
  { title: 'mean A', value: (task) => formatScore(meanOf(task, 'a')), align: 'right' },
  { title: 'mean B', value: (task) => formatScore(meanOf(task, 'b')), align: 'right' },
  {
    title: 'B better by [95 %]',
    value: ({ mean, interval }) =>
      interval === null
        ? formatScore(mean)
        : `${formatScore(mean)} [${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
    align: 'right',
  },
  { title: 'improved', value: ({ outcomes }) => improvedText(outcomes) },
];

function meanOf({ pairs }: Task, side: 'a' | 'b'): number | null {
  const scores = pairs.flatMap((pair) => pair[side].score ?? []);
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

const improvedText = ({ both: each, onlyA, onlyB, neither }: Task['outcomes']): string =>
  [
    ...(each === 0 ? [] : [`both ${each}`]),
    ...(onlyA === 0 ? [] : [`only A ${onlyA}`]),
    ...(onlyB === 0 ? [] : [`only B ${onlyB}`]),
    ...(neither === 0 ? [] : [`neither ${neither}`]),
  ].join(', ');

interface Side {
  title: string;
  of: Pairs['sides']['a'];
}

const sidesOf = ({ a, b, sides }: Pairs): Side[] => [
  { title: `A ${a}`, of: sides.a },
  { title: `B ${b}`, of: sides.b },
];

/** Each reason of an end that either side has, as a share of its runs. */
function sideColumns(pairs: Pairs): Column<Side>[] {
  const reasons = [...new Set([...Object.keys(pairs.sides.a.ends), ...Object.keys(pairs.sides.b.ends)])];
  return [
    { title: '', value: ({ title }) => title },
    { title: 'runs', value: ({ of }) => String(of.runs), align: 'right' },
    { title: 'cost', value: ({ of }) => formatUsd(of.costUsd), align: 'right' },
    {
      title: '$/run',
      value: ({ of }) => formatUsd(of.runs === 0 ? null : Number(of.costUsd) / of.runs),
      align: 'right',
    },
    {
      title: 'median time',
      value: ({ of }) => (of.medianSeconds === null ? '–' : formatDuration(of.medianSeconds * 1000)),
      align: 'right',
    },
    ...(sidesOf(pairs).some(({ of }) => of.unfinished > 0)
      ? [{ title: 'unfinished', value: ({ of }: Side) => String(of.unfinished), align: 'right' as const }]
      : []),
    ...reasons.map((reason): Column<Side> => ({
      title: reason.replaceAll('_', ' '),
      value: ({ of }) => {
        const runs = of.ends[reason as keyof typeof of.ends] ?? 0;
        return runs === 0 ? '–' : `${runs} (${formatPercent(runs / of.runs)})`;
      },
      align: 'right',
    })),
  ];
}

function notes({ unpaired, verdict, sides }: Pairs): string[] {
  const unfinished = sides.a.unfinished + sides.b.unfinished;
  return [
    ...(verdict === null
      ? []
      : [
          `Win rate: the chance that B's attempt of a pair beats A's, a tie being half a win; ${formatPercent(verdict.confidence)} interval, exact sign test. Attempts without gain tie.`,
        ]),
    ...(unpaired.a + unpaired.b === 0 ? [] : [`Without a partner: ${unpaired.a} runs of A, ${unpaired.b} of B.`]),
    ...(unfinished === 0 ? [] : [`${plural(unfinished, 'run')} not ended: compare again when all have.`]),
  ];
}
