import { formatCount, formatScore, plural } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { words } from '../parts/format.js';
import { JsonView } from '../parts/json-view.js';
import { Page } from '../parts/page.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text, TextBlock } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Fact, Money, RunLink, Score, Tokens } from '../parts/values.js';
import { scoreStrip } from './score-strip.js';

type Kind = 'task' | 'model' | 'agent';
type Played = Answer<'task'>;
type Cell = Played['cells'][number];

const KINDS = { task: 'Tasks', model: 'Models', agent: 'Agents' } as const;
const PATHS = { task: '/tasks', model: '/models', agent: '/agents' } as const;
const ONE = { task: '/tasks/$name', model: '/models/$name', agent: '/agents/$name' } as const;
const OTHERS = { task: 'Models', model: 'Tasks', agent: 'Models' } as const;

const Kinds = ({ of }: { of: Kind }) => (
  <nav aria-label="Tasks, models or agents" className="row kinds">
    {(Object.keys(KINDS) as Kind[]).map((kind) => (
      <Link key={kind} to={PATHS[kind]} aria-current={kind === of ? 'page' : undefined}>
        {KINDS[kind]}
      </Link>
    ))}
  </nav>
);

function List({ kind }: { kind: Kind }) {
  useTitle(KINDS[kind]);
  const list = useQuery(asked(`${kind}s`, {}, {}));
  return (
    <Page title={KINDS[kind]} head={<Kinds of={kind} />}>
      <Shown of={list} what={`${kind}s`} rows={12}>
        {({ played }) =>
          played.length === 0 ? (
            <Empty title="No runs yet" command="bench demo --page" />
          ) : (
            <Table
              label={KINDS[kind]}
              wide
              rows={played}
              rowKey={(one) => one.name}
              columns={[
                {
                  title: KINDS[kind].slice(0, -1),
                  cell: (one) => (
                    <>
                      <Link to={ONE[kind]} params={{ name: one.name }}>
                        <Text value={one.name} />
                      </Link>
                      {one.title !== null && (
                        <span className="sub muted">
                          <Text value={one.title} />
                        </span>
                      )}
                    </>
                  ),
                },
                { title: 'Runs', right: true, cell: (one) => formatCount(one.runs) },
                { title: 'Ended', right: true, cell: (one) => formatCount(one.ended) },
                { title: OTHERS[kind], right: true, cell: (one) => formatCount(one.of) },
                { title: 'Versions', right: true, cell: (one) => formatCount(one.versions) },
                { title: 'Cost', right: true, cell: (one) => <Money usd={one.costUsd} /> },
                { title: 'Last run', cell: (one) => <Time at={one.lastRunAt} /> },
              ]}
            />
          )
        }
      </Shown>
    </Page>
  );
}
export const TasksPage = () => <List kind="task" />;
export const ModelsPage = () => <List kind="model" />;
export const AgentsPage = () => <List kind="agent" />;

function One({ kind, name }: { kind: Kind; name: string }) {
  useTitle(name);
  const played = useQuery(asked(kind, { name }, {}));
  return (
    <div className="page">
      <div className="page-head">
        <h1>
          <Text value={name} />
        </h1>
        <Kinds of={kind} />
        <span className="grow" />
        <Link to="/runs" search={{ [kind]: [name] }}>
          All its runs
        </Link>
      </div>
      <Shown of={played} what={`the ${kind}`} rows={12}>
        {(subject) => <Subject kind={kind} played={subject} />}
      </Shown>
    </div>
  );
}
export const TaskPage = () => <One kind="task" name={useParams({ from: '/tasks/$name' }).name} />;
export const ModelPage = () => <One kind="model" name={useParams({ from: '/models/$name' }).name} />;
export const AgentPage = () => <One kind="agent" name={useParams({ from: '/agents/$name' }).name} />;

interface Spec {
  name?: string;
  description?: string;
  metrics?: Record<string, { direction?: string; description?: string; bounds?: { min?: number; max?: number } }>;
  primary?: string;
  submission?: { files?: string[] };
}

function Subject({ kind, played: { versions, cells, costs } }: { kind: Kind; played: Played }) {
  const strip = useMemo(
    () => scoreStrip(cells, ({ model, kind: of }) => (of === 'real' ? model : `${model} (${of})`)),
    [cells],
  );
  const newest = versions[0];
  const spec = kind === 'task' ? ((newest?.content ?? {}) as Spec) : null;
  const [first] = cells;
  return (
    <>
      <dl className="headline">
        <Fact name="runs">
          <span className="number">{formatCount(cells.reduce((sum, { runs }) => sum + runs, 0))}</span>
        </Fact>
        <Fact name="cost">
          <Money usd={String(cells.reduce((sum, { costUsd }) => sum + Number(costUsd), 0))} />
        </Fact>
        {spec !== null && first !== undefined && (
          <>
            <Fact name="metric">
              {spec.primary !== undefined && (
                <>
                  <Text value={spec.primary} />,{' '}
                </>
              )}
              {first.direction === 'minimize' ? 'smaller' : 'larger'} is better
            </Fact>
            <Fact name="starter">
              <Score value={first.baseline} />
            </Fact>
            <Bounds spec={spec} />
            {(spec.submission?.files ?? []).length > 0 && (
              <Fact name="handed in">
                <Text value={spec.submission!.files!.join(', ')} />
              </Fact>
            )}
          </>
        )}
      </dl>
      {spec?.description !== undefined && (
        <TextBlock source={spec.description} kind="text" lines={12} label="description" />
      )}
      {kind === 'task' && cells.some(({ scores }) => scores.length > 0) && <ChartView chart={strip} />}
      <h2>Outcomes of its runs</h2>
      <Cells kind={kind} cells={cells} />
      {costs.length > 0 && (
        <>
          <h2>Costs by price list</h2>
          <Table
            rows={costs}
            rowKey={({ list }) => list}
            columns={[
              { title: 'List', cell: ({ list }) => <Text value={list} /> },
              { title: 'Runs', right: true, cell: ({ runs }) => formatCount(runs) },
              { title: 'By the list', right: true, cell: ({ listUsd }) => <Money usd={listUsd} /> },
              { title: 'Recorded', right: true, cell: ({ recordedUsd }) => <Money usd={recordedUsd} /> },
            ]}
          />
        </>
      )}
      <h2>Versions</h2>
      {versions.length === 0 && <p className="muted">None is kept: it has no file.</p>}
      {versions.map(({ hash, contract, createdAt, runs, content }) => (
        <details key={hash}>
          <summary>
            <code>{hash.slice(0, 12)}</code> {contract !== null && `contract ${contract}, `}
            {plural(runs, 'run')}, first <Time at={createdAt} />
          </summary>
          <JsonView value={content} label={`version ${hash.slice(0, 12)}`} />
        </details>
      ))}
    </>
  );
}

function Bounds({ spec }: { spec: Spec }) {
  const bounds = spec.metrics?.[spec.primary ?? '']?.bounds;
  if (bounds === undefined) return null;
  return (
    <Fact name="bounds">
      {bounds.min === undefined ? 'none' : formatScore(bounds.min)} to{' '}
      {bounds.max === undefined ? 'none' : formatScore(bounds.max)}
    </Fact>
  );
}

const Cells = ({ kind, cells }: { kind: Kind; cells: readonly Cell[] }) => (
  <Table
    label="Outcomes of its runs"
    wide
    rows={cells}
    rowKey={(cell) => `${cell.model} ${cell.kind} ${cell.task}`}
    columns={[
      kind !== 'model' && {
        title: 'Model',
        cell: (cell) => (
          <>
            <Link to="/models/$name" params={{ name: cell.model }}>
              <Text value={cell.model} />
            </Link>
            {cell.kind !== 'real' && <span className="muted"> {cell.kind}</span>}
          </>
        ),
      },
      kind !== 'task' && {
        title: 'Task',
        cell: ({ task }) => (
          <Link to="/tasks/$name" params={{ name: task }}>
            <Text value={task} />
          </Link>
        ),
      },
      {
        title: 'Runs',
        right: true,
        cell: ({ ended, runs }) => (
          <>
            {formatCount(ended)}
            <span className="muted"> of {formatCount(runs)}</span>
          </>
        ),
      },
      { title: 'Scored', right: true, cell: ({ scored }) => formatCount(scored) },
      {
        title: 'Best',
        right: true,
        cell: ({ best, bestRun }) =>
          bestRun === null ? (
            <Score value={best} />
          ) : (
            <RunLink id={bestRun}>
              <Score value={best} />
            </RunLink>
          ),
      },
      {
        title: 'Trend',
        cell: ({ task, model }) => (
          <Link to="/trend" search={{ task, model }}>
            by batch
          </Link>
        ),
      },
      { title: 'Median', right: true, cell: ({ median }) => <Score value={median} /> },
      { title: 'Mean', right: true, cell: ({ mean }) => <Score value={mean} /> },
      kind !== 'task' && { title: 'Starter', right: true, cell: ({ baseline }) => <Score value={baseline} /> },
      { title: 'First score at step', right: true, cell: ({ firstScoreStep }) => firstScoreStep ?? '–' },
      { title: 'Steps', right: true, cell: ({ steps }) => steps ?? '–' },
      { title: 'Cost', right: true, cell: ({ costUsd }) => <Money usd={costUsd} /> },
      { title: 'Tokens', right: true, cell: ({ tokens }) => <Tokens amount={tokens} /> },
      {
        title: 'Ends',
        cell: ({ ends }) =>
          Object.entries(ends)
            .map(([reason, runs]) => `${words(reason)} ×${runs}`)
            .join(', '),
      },
    ]}
  />
);
