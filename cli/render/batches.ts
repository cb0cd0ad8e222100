import { formatUsd } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import { RUN_STATUSES } from '../../domain/run/outcomes.js';
import { formatSpan } from './format.js';
import { renderTable } from './table.js';
import type { ListedBatch } from '../../domain/views/batches.js';

/** `3 running, 5 queued`; the ended ones have a column. */
const openRuns = ({ byStatus }: ListedBatch): string =>
  RUN_STATUSES.filter((status) => status !== 'ended' && (byStatus[status] ?? 0) > 0)
    .reverse()
    .map((status) => `${byStatus[status] ?? 0} ${status.replace('_', ' ')}`)
    .join(', ');

export const renderBatches = (batches: readonly ListedBatch[], colors: Colors, now: Date = new Date()): string =>
  batches.length === 0
    ? 'No batches.'
    : renderTable(
        batches,
        [
          { title: 'batch', value: (batch) => batch.batchId },
          { title: 'name', value: (batch) => batch.name ?? '–' },
          {
            title: 'status',
            value: (batch) =>
              batch.origin !== 'bench'
                ? `${batch.status} (${batch.origin})`
                : batch.training
                  ? 'training'
                  : batch.pausedAt === null || batch.ended === batch.runs
                    ? batch.status
                    : colors.yellow('paused'),
          },
          { title: 'ended', value: (batch) => `${batch.ended}/${batch.runs}`, align: 'right' },
          { title: 'open', value: openRuns },
          {
            title: 'cost',
            value: (batch) =>
              formatUsd(batch.costUsd) + (batch.budgetUsd === null ? '' : ` of ${formatUsd(batch.budgetUsd)}`),
            align: 'right',
          },
          { title: 'age', value: (batch) => formatSpan(batch.createdAt, null, now), align: 'right' },
        ],
        colors,
      );
