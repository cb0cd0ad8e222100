import { formatCount, formatDuration, plural } from '../../../domain/text/format.js';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { improves } from '../../../domain/statistics/gain.js';
import type { Answer } from '../../api/index.js';
import { Time } from '../parts/clock.js';
import { fixed, words } from '../parts/format.js';
import { Text } from '../parts/text.js';
import {
  Badge,
  BatchLink,
  Duration,
  Fact,
  Facts,
  Money,
  RunLink,
  RunState,
  Score,
  StepLink,
  Tokens,
} from '../parts/values.js';
import type { neighbours } from '../runs/run-list.js';
import { LabelsOf, Steering } from '../steering/steering.js';
import { Waiting } from './waiting.js';

type Head = Answer<'run'>;

type Near = ReturnType<typeof neighbours>;

export function RunHead({ head, near }: { head: Head; near: Near }) {
  const { run, lineage, tree } = head;
  const [open, setOpen] = useState(false);
  return (
    <section className="head" aria-label="Run">
      <div className="page-head">
        <h1>
          <Text value={run.model} /> <span className="muted">on</span> <Text value={head.taskName} />
        </h1>
        <RunState run={{ ...run, outcome: head.outcome }} />
        <span className="grow" />
        {near !== null && <Neighbours near={near} />}
        <Steering
          of="runs"
          id={run.runId}
          actions={[
            ...(run.status === 'ended' ? (['retry', 'fork'] as const) : (['cancel', 'fork'] as const)),
            'label',
          ]}
          labels={run}
        />
      </div>
      <LabelsOf note={run.note} tags={run.tags} />
      <Headline head={head} />
      {run.ending !== null && run.endReason !== 'submit' && (
        <p className="detail">
          Ended: <Text value={run.ending.why} />
          {run.ending.next !== null && <Text value={`. ${run.ending.next}`} />}
        </p>
      )}
      <Integrity head={head} />
      <Waiting waiting={head.waiting} />
      <div className="head-more">
        <button type="button" className="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? '▾' : '▸'} more
        </button>
        <code className="muted">{run.runId}</code>
        <Lineage of={lineage} />
        {tree !== null && tree.node !== null && (
          <Link to="/runs/$id" params={{ id: tree.runId }} search={{ tab: 'tree' }}>
            node {tree.node} of a tree
          </Link>
        )}
      </div>
      {open && <RunFacts run={run} />}
    </section>
  );
}

const Neighbours = ({ near: { before, after, place, of } }: { near: NonNullable<Near> }) => (
  <nav aria-label="Runs of the list" className="row">
    {before === null ? <span className="muted">‹</span> : <RunLink id={before}>‹ previous</RunLink>}
    <span className="muted number">
      {formatCount(place)} of {formatCount(of)}
    </span>
    {after === null ? <span className="muted">›</span> : <RunLink id={after}>next ›</RunLink>}
  </nav>
);

function Headline({ head: { run, time, bestOfTask, batchName } }: { head: Head }) {
  const best =
    bestOfTask === null ? (
      <span className="none">–</span>
    ) : bestOfTask.runId === run.runId ? (
      'this run'
    ) : (
      <RunLink id={bestOfTask.runId}>
        <Score value={bestOfTask.score} /> <Text value={bestOfTask.model} />
      </RunLink>
    );
  return (
    <dl className="headline">
      <Fact name={run.primary}>
        <strong>
          <Score value={run.bestScore} />
        </strong>{' '}
        <span className="muted">{run.direction === 'maximize' ? '↑ best' : '↓ best'}</span>
      </Fact>
      <Facts
        of={{
          final: <Score value={run.finalScore} />,
          baseline: (
            <>
              <Score value={run.baseline} />
              {run.baseline !== null && run.bestScore !== null && <Better run={run} />}
            </>
          ),
          'best of the task': best,
          steps: (
            <span className="number">
              {run.steps}
              {run.maxSteps > 0 && <span className="muted"> of {run.maxSteps}</span>}
            </span>
          ),
          cost: (
            <>
              <Money usd={run.costUsd} />
              {run.recordedCostUsd !== null && (
                <span className="muted">
                  {' '}
                  recorded <Money usd={run.recordedCostUsd} />
                </span>
              )}
            </>
          ),
          tokens: <Tokens amount={run.usage.inputTokens + run.usage.outputTokens} />,
          took: <TimeSplit time={time} />,
          batch: <BatchLink id={run.batchId} name={batchName} />,
          attempt: run.attempt,
        }}
      />
    </dl>
  );
}

const Integrity = ({ head: { run, integrity } }: { head: Head }) =>
  (integrity.length > 0 || run.suspect > 0) && (
    <ul className="flags" aria-label="Integrity">
      {run.suspect > 0 && (
        <li>
          <Badge tone="warn" mark="⚠">
            {plural(run.suspect, 'suspect evaluation')}
          </Badge>
        </li>
      )}
      {integrity.map(({ rule, step, detail }, i) => (
        <li key={i}>
          <Badge tone="warn" mark="⚑">
            {words(rule)}
          </Badge>{' '}
          {step !== null && <StepLink id={run.runId} step={step} />} <Text value={detail} />
        </li>
      ))}
    </ul>
  );

const RunFacts = ({ run }: { run: Head['run'] }) => (
  <dl className="facts-table">
    <Facts
      of={{
        task: (
          <>
            <Text value={run.task} /> contract {run.contract}
          </>
        ),
        agent: <Text value={run.agent} />,
        model: <Text value={`${run.provider}: ${run.providerModel}`} />,
        seed: run.seed,
        exit: <Text value={run.exitStatus ?? '–'} />,
        'final evaluation': run.finalEvaluation === null ? '–' : words(run.finalEvaluation),
        isolation: run.isolation ?? 'no sandbox yet',
        backend: run.backend,
        host: run.host === null ? '–' : <Text value={run.host} />,
        sandbox: `epoch ${run.epoch}`,
        profile: <Text value={run.profile ?? 'own budget'} />,
        data: run.sample ? 'sample' : 'real',
        'model calls': run.modelCalls === null ? 'not recorded' : formatCount(run.modelCalls),
        tokens: `${formatCount(run.usage.inputTokens)} in, ${formatCount(run.usage.cachedTokens)} of them cached, ${formatCount(run.usage.outputTokens)} out`,
        'saved by the cache': run.cacheSavedUsd === null ? '–' : <Money usd={run.cacheSavedUsd} />,
        created: <Time at={run.createdAt} />,
        started: <Time at={run.startedAt} />,
        ended: <Time at={run.endedAt} />,
        harness: <Text value={run.harnessVersion} />,
        command: <code>bench logs {run.runId}</code>,
      }}
    />
  </dl>
);

/** Against the baseline, in the task's direction. A gain within noise does not count. */
function Better({ run }: { run: Head['run'] }) {
  const { baseline, baselineError, direction } = run;
  const gain = (run.bestScore ?? 0) - (baseline ?? 0);
  const apart = fixed(Math.abs(gain), 3);
  const better = improves({ direction, baseline, standardError: baselineError }, run.bestScore) && Number(apart) !== 0;
  const worse = direction === 'maximize' ? gain < 0 : gain > 0;
  return (
    <span className={better ? 'good' : 'muted'}>
      {' '}
      {gain === 0
        ? 'equal'
        : better
          ? `▲ better by ${apart}`
          : `${worse ? '▼ worse' : 'within noise, better'} by ${apart}`}
    </span>
  );
}

function TimeSplit({ time: { modelMs, commandMs, evaluationMs, otherMs } }: { time: Head['time'] }) {
  const parts = [
    ['model', modelMs, 0],
    ['command', commandMs, 1],
    ['evaluation', evaluationMs, 2],
    ['waiting and between', otherMs ?? 0, 7],
  ] as const;
  const total = parts.reduce((sum, [, ms]) => sum + ms, 0);
  const description = parts.map(([name, ms]) => `${name} ${formatDuration(ms)}`).join(', ');
  return (
    <span className="time-split">
      <Duration ms={total} />
      <span className="bar" role="img" aria-label={description} title={description}>
        {parts.map(([name, ms, series]) => (
          <span key={name} className={`series-${series}`} style={{ width: `${(100 * ms) / Math.max(1, total)}%` }} />
        ))}
      </span>
    </span>
  );
}

function Lineage({ of: { replaces, replacedBy, forkedFrom, forks } }: { of: Head['lineage'] }) {
  return (
    <span className="lineage">
      {replaces !== null && (
        <span>
          repeats <RunLink id={replaces.runId} />
        </span>
      )}
      {replacedBy !== null && (
        <span className="warn">
          repeated by <RunLink id={replacedBy.runId} />
        </span>
      )}
      {forkedFrom !== null && (
        <span>
          forked from{' '}
          <Link
            to="/runs/$id"
            params={{ id: forkedFrom.runId }}
            search={forkedFrom.step === null ? {} : { step: forkedFrom.step }}
            className="id"
          >
            {forkedFrom.runId.slice(-6)} at step {forkedFrom.step}
          </Link>
        </span>
      )}
      {forks.length > 0 && (
        <details className="inline">
          <summary>{plural(forks.length, 'fork')}</summary>
          <ul>
            {forks.map(({ runId, step, model, bestScore }) => (
              <li key={runId}>
                <RunLink id={runId} /> at step {step}, <Text value={model} />, best <Score value={bestScore} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}
