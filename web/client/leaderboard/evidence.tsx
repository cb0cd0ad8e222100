import { plural } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Answer, Query } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { words } from '../parts/format.js';
import { Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { Badge, BatchLink, Money, RunLink, RunState, Score } from '../parts/values.js';
import { Dialog } from '../shell/dialog.js';

interface Cell {
  model: string;
  kind: string;
  isolation: string;
  task?: string;
}

/** The runs behind a figure: which count, which do not and why, and which one it is from. */
export function Evidence({
  board,
  request,
  cell,
  onClose,
}: {
  board: Answer<'leaderboard'> | undefined;
  request: Query<'leaderboard'>;
  cell: Cell;
  onClose: () => void;
}) {
  const evidence = useQuery(asked('leaderboardCell', {}, { ...request, ...cell }));
  const row = board?.rows.find(
    ({ model, kind, isolation }) => model === cell.model && kind === cell.kind && isolation === cell.isolation,
  );
  const figure = cell.task === undefined ? undefined : row?.scores[cell.task];
  return (
    <Dialog
      title={`Evidence: ${cell.model}${cell.task === undefined ? '' : ` on ${cell.task}`}`}
      onClose={onClose}
      wide
    >
      {figure !== undefined && <FigureSource of={figure} />}
      <Shown of={evidence} what="its runs">
        {({ runs }) => (
          <Table
            label="Runs behind the figure"
            rows={runs}
            rowKey={(run) => run.runId}
            columns={[
              { title: 'Run', cell: (run) => <RunLink id={run.runId} /> },
              cell.task === undefined && { title: 'Task', cell: (run) => <Text value={run.task} /> },
              { title: 'Att.', right: true, cell: (run) => run.attempt },
              {
                title: 'Counted',
                cell: (run) =>
                  run.counted ? (
                    <Badge tone="good" mark="✓">
                      counted
                    </Badge>
                  ) : (
                    <Badge tone="quiet" mark="◌">
                      {run.superseded ? 'repeated by another' : run.status === 'ended' ? 'not counted' : 'not ended'}
                    </Badge>
                  ),
              },
              { title: 'State', cell: (run) => <RunState run={run} /> },
              {
                title: 'Best',
                right: true,
                cell: (run) => (
                  <>
                    <Link to="/runs/$id" params={{ id: run.runId }} search={{ tab: 'scores' }}>
                      <Score value={run.best} />
                    </Link>
                    {run.suspect > 0 && run.bestOfAll !== run.best && (
                      <span className="sub warn">
                        <Score value={run.bestOfAll} /> with suspects
                      </span>
                    )}
                  </>
                ),
              },
              { title: 'Last', right: true, cell: (run) => <Score value={run.last} /> },
              { title: 'Cost', right: true, cell: (run) => <Money usd={run.costUsd} /> },
              { title: 'Flags', cell: (run) => words(run.flags.join(', ')) },
              { title: 'Batch', cell: (run) => <BatchLink id={run.batchId} /> },
            ]}
          />
        )}
      </Shown>
    </Dialog>
  );
}

type Figure = Answer<'leaderboard'>['rows'][number]['scores'][string];

/** Of which runs a figure is, and how many count. */
const FigureSource = ({ of }: { of: Figure }) => (
  <p>
    Best attempt <Score value={of.best} />
    <OfRun id={of.bestRun} />, best submission <Score value={of.last} />
    <OfRun id={of.lastRun} />, mean <Score value={of.mean} />. {of.counted} of {plural(of.attempts, 'run')} count,{' '}
    {of.scored} have a score
    {of.infraErrors > 0 && `, ${plural(of.infraErrors, 'infrastructure fault')}`}
    {of.refused > 0 && `, ${plural(of.refused, 'refused run')}`}
    {of.suspect > 0 && `, ${plural(of.suspect, 'suspect evaluation')}`}.
  </p>
);

const OfRun = ({ id }: { id: string | null }) =>
  id !== null && (
    <>
      {' '}
      of run <RunLink id={id} />
    </>
  );
