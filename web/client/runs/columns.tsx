import type { Answer } from '../../api/index.js';
import type { RunOrder } from '../../../domain/requests/run-filter.js';
import type { Column } from '../address/pages.js';
import { Time } from '../parts/clock.js';
import { words } from '../parts/format.js';
import { Text } from '../parts/text.js';
import { BatchLink, Badge, Duration, Money, RunState, Score, Tokens } from '../parts/values.js';

export type Run = Answer<'runs'>['runs'][number];

interface ColumnOf {
  title: string;
  width: string;
  right?: true;
  order?: RunOrder;
  down?: true;
  cell: (run: Run) => React.ReactNode;
}

export const RUN_COLUMNS: Record<Column, ColumnOf> = {
  model: { title: 'Model', width: 'minmax(7rem, 1.4fr)', order: 'model', cell: ({ model }) => <Text value={model} /> },
  task: { title: 'Task', width: 'minmax(10rem, 2fr)', order: 'task', cell: ({ task }) => <Text value={task} /> },
  attempt: { title: 'Att.', width: '3rem', right: true, order: 'attempt', cell: ({ attempt }) => attempt },
  state: { title: 'State', width: '7rem', order: 'status', cell: (run) => <RunState run={run} /> },
  best: {
    title: 'Best',
    width: '6rem',
    right: true,
    order: 'bestScore',
    down: true,
    cell: ({ bestScore, direction, suspect }) => (
      <>
        {suspect > 0 && (
          <span className="warn" title={`${suspect} suspect evaluations`}>
            ⚠{' '}
          </span>
        )}
        <Score value={bestScore} />
        <span className="muted" title={direction}>
          {direction === 'maximize' ? ' ↑' : ' ↓'}
        </span>
      </>
    ),
  },
  final: {
    title: 'Final',
    width: '5rem',
    right: true,
    order: 'finalScore',
    down: true,
    cell: ({ finalScore }) => <Score value={finalScore} />,
  },
  baseline: { title: 'Baseline', width: '5rem', right: true, cell: ({ baseline }) => <Score value={baseline} /> },
  steps: {
    title: 'Steps',
    width: '5rem',
    right: true,
    order: 'steps',
    down: true,
    cell: ({ steps, maxSteps }) => (
      <span className="number">
        {steps}
        {maxSteps > 0 && <span className="muted">/{maxSteps}</span>}
      </span>
    ),
  },
  cost: {
    title: 'Cost',
    width: '4.5rem',
    right: true,
    order: 'cost',
    down: true,
    cell: ({ costUsd }) => <Money usd={costUsd} />,
  },
  tokens: {
    title: 'Tokens',
    width: '4.5rem',
    right: true,
    order: 'tokens',
    down: true,
    cell: ({ inputTokens, outputTokens }) => <Tokens amount={inputTokens + outputTokens} />,
  },
  duration: {
    title: 'Took',
    width: '5.5rem',
    right: true,
    order: 'duration',
    down: true,
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  flags: {
    title: 'Flags',
    width: '3rem',
    cell: ({ flags }) =>
      flags.length === 0 ? null : (
        <span title={words([...new Set(flags.map(({ rule }) => rule))].join(', '))}>
          <Badge tone="warn" mark="⚑">
            {flags.length}
          </Badge>
        </span>
      ),
  },
  batch: {
    title: 'Batch',
    width: 'minmax(6rem, 1fr)',
    cell: ({ batchId, batchName }) => <BatchLink id={batchId} name={batchName} />,
  },
  agent: { title: 'Agent', width: '6rem', cell: ({ agent }) => <Text value={agent} /> },
  host: { title: 'Host', width: '7rem', cell: ({ host }) => (host === null ? null : <Text value={host} />) },
  isolation: { title: 'Isolation', width: '6rem', cell: ({ isolation }) => isolation },
  created: {
    title: 'Created',
    width: '6rem',
    right: true,
    order: 'createdAt',
    down: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  ended: {
    title: 'Ended',
    width: '6rem',
    right: true,
    order: 'endedAt',
    down: true,
    cell: ({ endedAt }) => <Time at={endedAt} />,
  },
  detail: {
    title: 'Detail',
    width: 'minmax(10rem, 2fr)',
    cell: ({ detail }) => (detail === null ? null : <Text value={detail} />),
  },
};

export const DEFAULT_COLUMNS: readonly Column[] = [
  'model',
  'task',
  'attempt',
  'state',
  'best',
  'steps',
  'cost',
  'duration',
  'flags',
  'batch',
  'created',
];
