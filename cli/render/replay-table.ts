import type { CliOutput } from '../context.js';
import type { ReplayTable } from '../../domain/views/replay.js';
import { formatScore, plural } from './format.js';
import { renderFields, renderTable } from './table.js';

const percent = (share: number | null): string => (share === null ? 'none' : `${(share * 100).toFixed(1)} %`);

export function renderReplayTable(table: ReplayTable, { colors }: Pick<CliOutput, 'colors'>): string {
  const causes = renderTable<ReplayTable['causes'][number]>(
    table.causes,
    [
      { title: 'cause', value: ({ cause }) => cause },
      { title: 'steps', value: ({ steps }) => String(steps), align: 'right' },
      { title: 'runs', value: ({ runs }) => String(runs), align: 'right' },
      { title: 'final scores', value: ({ finalScores }) => String(finalScores), align: 'right' },
      { title: 'declared', value: ({ declared }) => (declared ? 'yes' : colors.yellow('no')) },
      { title: 'meaning', value: ({ meaning }) => meaning },
    ],
    colors,
  );
  const changed = table.runs.filter(({ final }) => !final.equal);
  const runs = renderTable<ReplayTable['runs'][number]>(
    changed,
    [
      { title: 'changed final score', value: ({ model }) => model },
      { title: 'run', value: ({ runId }) => runId },
      { title: 'recorded', value: ({ final }) => formatScore(final.recorded), align: 'right' },
      { title: 'now', value: ({ final }) => formatScore(final.now), align: 'right' },
      { title: 'cause', value: ({ cause }) => cause ?? '' },
    ],
    colors,
  );
  const { steps, finalScores } = table;
  const fields: (readonly [string, string])[] = [
    ['recordings', String(table.runs.length)],
    ['steps', `${steps.same} of ${steps.recorded} are the same, ${steps.declared} differ for declared causes`],
    ['beyond these', `${percent(steps.share)} are equal`],
    [
      'final scores',
      `${finalScores.equal} of ${plural(finalScores.runs, 'run')} are equal (${percent(finalScores.share)})`,
    ],
  ];
  return [causes, ...(changed.length > 0 ? [runs] : []), renderFields(fields, colors)].join('\n\n');
}
