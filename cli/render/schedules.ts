import type { Colors } from 'picocolors/types.js';
import { NONE } from '../../domain/text/format.js';
import type { Schedule, ScheduleRun } from '../../domain/views/schedules.js';
import { formatTime, shortId } from './format.js';
import { renderFields, renderTable } from './table.js';

const outcomeText = ({ outcome }: Pick<ScheduleRun, 'outcome'>): string =>
  outcome === null ? 'plays' : outcome.replaceAll('_', ' ');

export const renderSchedules = (schedules: readonly Schedule[], colors: Colors): string =>
  renderTable(
    schedules,
    [
      { title: 'schedule', value: ({ name }) => name },
      { title: 'cron', value: ({ cron }) => cron },
      { title: 'overlap', value: ({ overlap }) => overlap },
      { title: 'next', value: ({ paused, nextAt }) => (paused ? 'paused' : formatTime(nextAt)) },
      {
        title: 'last outcomes, newest first',
        value: ({ runs }) => (runs.length === 0 ? NONE : runs.map(outcomeText).join(', ')),
      },
    ],
    colors,
  );

export function renderSchedule(schedule: Schedule, colors: Colors): string {
  const { name, cron, overlap, paused, createdAt, nextAt, runs } = schedule;
  const fields = renderFields(
    [
      ['schedule', name],
      ['cron', cron],
      ['overlap', overlap],
      ['created', formatTime(createdAt)],
      ['next', paused ? 'paused' : formatTime(nextAt)],
    ],
    colors,
  );
  return runs.length === 0 ? fields : `${fields}\n\n${renderRuns(runs, colors)}`;
}

const renderRuns = (runs: readonly ScheduleRun[], colors: Colors): string =>
  renderTable(
    runs,
    [
      { title: 'due', value: ({ dueAt }) => formatTime(dueAt) },
      { title: 'batch', value: ({ batchId }) => (batchId === null ? NONE : shortId(batchId)) },
      { title: 'compared with', value: ({ baseBatchId }) => (baseBatchId === null ? NONE : shortId(baseBatchId)) },
      { title: 'outcome', value: outcomeText },
      { title: 'accepted', value: ({ accepted }) => (accepted ? 'yes' : NONE) },
      { title: 'detail', value: ({ detail }) => detail ?? NONE },
    ],
    colors,
  );
