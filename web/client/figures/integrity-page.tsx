import { formatCount, formatScore, plural } from '../../../domain/text/format.js';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Answer } from '../../api/index.js';
import { useChange } from '../address/change.js';
import type { IntegritySearch } from '../address/pages.js';
import { document as asked, pagesOf } from '../data/queries.js';
import { fixed, words } from '../parts/format.js';
import { Page } from '../parts/page.js';
import { Empty, Failure, Loading, More, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text, TextBlock } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Badge, Facts, RunLink, StepLink } from '../parts/values.js';

type Summary = Answer<'integrity'>;
type Flag = Answer<'integrityFlags'>['flags'][number];
type Facet = 'rule' | 'model' | 'task';

export function IntegrityPage() {
  useTitle('Integrity');
  const search = useSearch({ from: '/integrity' });
  const change = useChange('/integrity');
  const summary = useQuery(asked('integrity', {}, {}));
  const toggle = (facet: Facet, value: string): void => {
    const chosen = (search[facet] as readonly string[] | undefined) ?? [];
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    change({ [facet]: next.length === 0 ? undefined : next });
  };
  return (
    <Page title="Integrity">
      <Shown of={summary} what="integrity" rows={10}>
        {(found) => (
          <>
            <dl className="headline">
              <Facts
                of={{
                  'flagged runs': (
                    <>
                      <strong className="number">{formatCount(found.flagged)}</strong>
                      <span className="muted"> of {plural(found.runs, 'ended run')}</span>
                    </>
                  ),
                  'runs that tried to cheat': (
                    <Link to="/integrity" search={{ rule: ['tried'] }} className="number">
                      {formatCount(found.rules.find(({ value }) => value === 'tried')?.runs ?? 0)}
                    </Link>
                  ),
                  'suspect evaluations': <span className="number">{formatCount(found.suspects)}</span>,
                  'runs without isolation': (
                    <span className="number">
                      {formatCount(found.withoutIsolation.reduce((sum, { runs }) => sum + runs, 0))}
                    </span>
                  ),
                }}
              />
            </dl>
            <div className="facts-table">
              <Counts title="By rule" facet="rule" counted={found.rules} chosen={search.rule} toggle={toggle} />
              <Counts title="By model" facet="model" counted={found.models} chosen={search.model} toggle={toggle} />
              <Counts title="By task" facet="task" counted={found.tasks} chosen={search.task} toggle={toggle} />
            </div>
          </>
        )}
      </Shown>
      <h2>Flags</h2>
      <Flags search={search} />
      <h2>What would change</h2>
      <WithSuspects />
      {summary.data !== undefined && <Elsewhere found={summary.data} />}
    </Page>
  );
}

function Counts({
  title,
  facet,
  counted,
  chosen = [],
  toggle,
}: {
  title: string;
  facet: Facet;
  counted: Summary['rules'];
  chosen?: readonly string[] | undefined;
  toggle: (facet: Facet, value: string) => void;
}) {
  return (
    <section className="facet" aria-label={title}>
      <h3>{title}</h3>
      {counted.length === 0 && <p className="muted">none</p>}
      <ul>
        {counted.slice(0, 50).map(({ value, runs }) => (
          <li key={value}>
            <label>
              <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(facet, value)} />
              <span className="name">{facet === 'rule' ? words(value) : <Text value={value} />}</span>
              <span className="count">{formatCount(runs)}</span>
            </label>
          </li>
        ))}
      </ul>
      {counted.length > 50 && <p className="muted">50 of {formatCount(counted.length)}</p>}
    </section>
  );
}

function Flags({ search }: { search: IntegritySearch }) {
  const pages = useInfiniteQuery(pagesOf('integrityFlags', {}, { ...search, limit: 50 }));
  if (pages.error !== null && pages.data === undefined)
    return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.data === undefined) return <Loading what="flags" rows={6} />;
  const flags = pages.data.pages.flatMap(({ flags: some }) => some);
  if (flags.length === 0)
    return Object.keys(search).length === 0 ? (
      <Empty title="No run is flagged">
        <p>Rules check each run when it ends; a flag makes the scores from its step on suspect.</p>
      </Empty>
    ) : (
      <Empty title="No flag matches" />
    );
  return (
    <>
      <ol className="flags">
        {flags.map((flag) => (
          <li key={`${flag.runId} ${flag.rule}`}>
            <OneFlag flag={flag} />
          </li>
        ))}
      </ol>
      <More of={pages}>More flags</More>
    </>
  );
}

function OneFlag({ flag }: { flag: Flag }) {
  const { runId, model, task, attempt, rule, step, until, detail, action, best, bestOfAll, suspects } = flag;
  return (
    <>
      <p className="flag-head">
        <Badge tone="warn" mark="⚠">
          {words(rule)}
        </Badge>{' '}
        <RunLink id={runId}>
          <Text value={`${model} · ${task} · ${attempt}`} />
        </RunLink>{' '}
        {step !== null && (
          <StepLink id={runId} step={step}>
            step {step}
            {until !== null && ` to ${until}`}
          </StepLink>
        )}{' '}
        <span className="muted">
          {suspects === 0
            ? 'no score is suspect'
            : `${plural(suspects, 'suspect score')}: best ${formatScore(best)} without, ${formatScore(bestOfAll)} with`}
        </span>
      </p>
      <p>
        <Text value={detail} />
      </p>
      {action !== null && (
        <TextBlock source={action} kind="text" lines={6} label={`action of step ${step ?? ''}`} className="action" />
      )}
    </>
  );
}

/** Areas under the leaderboard's profiles, without and with suspect scores. */
function WithSuspects() {
  const board = useQuery(asked('leaderboard', {}, {}));
  return (
    <Shown of={board} what="the leaderboard" rows={4}>
      {({ rows }) => {
        const ranked = rows.filter(({ bestAup }) => bestAup !== null);
        if (ranked.length === 0) return <p className="muted">No model is ranked yet.</p>;
        if (ranked.every(({ withSuspects }) => withSuspects === null))
          return <p className="muted">Nothing: no ranked model has a suspect score.</p>;
        return (
          <Table
            label="AUP without and with suspect scores"
            rows={ranked}
            rowKey={({ model, kind, isolation }) => `${model} ${kind} ${isolation}`}
            columns={[
              { title: 'Model', cell: ({ model }) => <Text value={model} /> },
              { title: 'AUP', right: true, cell: ({ bestAup }) => fixed(bestAup, 3) },
              {
                title: 'with suspects',
                right: true,
                cell: ({ withSuspects }) =>
                  withSuspects?.bestAup == null ? 'the same' : fixed(withSuspects.bestAup, 3),
              },
              { title: 'Suspect scores', right: true, cell: ({ suspect }) => formatCount(suspect) },
            ]}
          />
        );
      }}
    </Shown>
  );
}

function Elsewhere({ found }: { found: Summary }) {
  return (
    <>
      <h2>Tasks whose evaluator the agent can reach</h2>
      <Reachable tasks={found.reachable} />
      <h2>Runs without isolation</h2>
      <Listed
        of={found.withoutIsolation.map(({ value, runs }) => ({
          what: (
            <Link to="/runs" search={{ model: [value], isolation: ['none'], status: ['ended'] }}>
              <Text value={value} />
            </Link>
          ),
          more: plural(runs, 'run'),
        }))}
      />
      <h2>Ends that the agent did not cause</h2>
      <Listed
        of={found.faults.map(({ endReason, runs, scored }) => ({
          what: (
            <Link to="/runs" search={{ endReason: [endReason] }}>
              {words(endReason)}
            </Link>
          ),
          more: `${plural(runs, 'run')}, ${formatCount(scored)} with a score that does not count`,
        }))}
      />
      {found.events.length > 0 && (
        <>
          <h2>Events that may affect a score</h2>
          <Listed
            of={found.events.map(({ kind, events, runs }) => ({
              what: words(kind),
              more: `${formatCount(events)} in ${plural(runs, 'run')}`,
            }))}
          />
        </>
      )}
    </>
  );
}

function Listed({ of }: { of: readonly { what: React.ReactNode; more: string }[] }) {
  if (of.length === 0) return <p className="muted">None.</p>;
  return (
    <ul className="plain-list">
      {of.map(({ what, more }, i) => (
        <li key={i}>
          {what} <span className="muted">{more}</span>
        </li>
      ))}
    </ul>
  );
}

const Reachable = ({ tasks }: { tasks: Summary['reachable'] }) => (
  <Table
    none="No such task has runs."
    rows={tasks}
    rowKey={({ task, contract }) => `${task} ${contract}`}
    columns={[
      {
        title: 'Task',
        cell: ({ task }) => (
          <Link to="/tasks/$name" params={{ name: task }}>
            <Text value={task} />
          </Link>
        ),
      },
      { title: 'Contract', right: true, cell: ({ contract }) => contract },
      { title: 'Runs', right: true, cell: ({ runs }) => formatCount(runs) },
      {
        title: 'What',
        cell: ({ selfReported, protectedFiles }) =>
          [
            ...(selfReported ? ['the agent writes the metric itself'] : []),
            ...(protectedFiles > 0 ? [`${plural(protectedFiles, 'file')} of the evaluator`] : []),
          ].join(', '),
      },
    ]}
  />
);
