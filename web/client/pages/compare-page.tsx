import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Answer } from '../../api/index.js';
import { client, document as asked } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../../../report/chart.js';
import { styleOf } from '../../../report/series.js';
import { ChartView } from '../parts/chart-view.js';
import { Diff } from '../parts/diff.js';
import { count, plural, score, usd } from '../parts/format.js';
import { Empty, Failure, Loading } from '../parts/states.js';
import { plainText, Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Money, RunLink, RunState, Score } from '../parts/values.js';
import { StepBody } from '../run/step-body.js';
import { skeletonOf, useSkeleton } from '../run/skeleton.js';
import { ComparePairs } from './compare-pairs.js';
import type { Aligned } from '../workers/align-steps.js';
import { offThread, warmThread } from '../workers/off-thread.js';

type Head = Answer<'run'>;
type Setup = Answer<'setup'>;

/** Where did they part, and does that explain the score? */
export function ComparePage() {
  const search = useSearch({ from: '/compare' });
  const navigate = useNavigate({ from: '/compare' });
  useTitle('Compare');
  const ids = search.runs ?? [];
  const { batches, models, tasks } = search;
  const sides = batches ?? models;
  const heads = useQueries({ queries: ids.map((id) => asked('run', { id }, {})) });
  const setups = useQueries({ queries: ids.map((id) => asked('setup', { id }, {})) });
  // What the steps take is asked for with the heads, not after them.
  useState(() => {
    if (ids.length < 2) return;
    warmThread();
    for (const id of ids.slice(0, 2)) void client.prefetchQuery(skeletonOf(id));
  });
  const failed = heads.find(({ error, data }) => error !== null && data === undefined);
  if (ids.length === 0 && sides?.length === 2)
    return (
      <div className="page">
        <div className="page-head">
          <h1>Compare two {batches === undefined ? 'models' : 'batches'}</h1>
        </div>
        <ComparePairs
          request={{ ...(batches === undefined ? { models: sides } : { batches: sides }), ...(tasks && { tasks }) }}
        />
      </div>
    );
  if (ids.length < 2)
    return (
      <div className="page">
        <div className="page-head">
          <h1>Compare</h1>
        </div>
        <Empty title="Choose two runs">
          <p>
            Select two to eight in <Link to="/runs">Runs</Link> (with <kbd>x</kbd> or their boxes), then “Compare”. Or
            name them:
          </p>
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              const typed = new FormData(event.currentTarget).get('ids');
              const found = typeof typed === 'string' ? typed.split(/[\s,]+/).filter((id) => id !== '') : [];
              if (found.length > 1) void navigate({ search: { runs: found.slice(0, 8) } });
            }}
          >
            <input name="ids" aria-label="Ids of runs" placeholder="r-… r-…" defaultValue={ids.join(' ')} />
            <button type="submit">Compare</button>
          </form>
          <p>Or pair the attempts of two batches, or of two models:</p>
          {(['batches', 'models'] as const).map((what) => (
            <form
              key={what}
              className="row"
              onSubmit={(event) => {
                event.preventDefault();
                const typed = new FormData(event.currentTarget);
                const found = ['a', 'b'].flatMap((side) => {
                  const name = typed.get(side);
                  return typeof name === 'string' && name.trim() !== '' ? [name.trim()] : [];
                });
                if (found.length === 2) void navigate({ search: { [what]: found } });
              }}
            >
              <input
                name="a"
                aria-label={`First of two ${what}`}
                placeholder={what === 'batches' ? 'batch A' : 'model A'}
              />
              <input
                name="b"
                aria-label={`Second of two ${what}`}
                placeholder={what === 'batches' ? 'batch B' : 'model B'}
              />
              <button type="submit">Compare {what}</button>
            </form>
          ))}
        </Empty>
      </div>
    );
  const runs = heads.flatMap(({ data }) => (data === undefined ? [] : [data]));
  return (
    <div className="page">
      <div className="page-head">
        <h1>Compare {plural(ids.length, 'run')}</h1>
      </div>
      {failed !== undefined ? (
        <Failure error={failed.error} retry={() => void failed.refetch()} />
      ) : runs.length < ids.length ? (
        <Loading what="runs" rows={12} />
      ) : (
        <>
          <Differences runs={runs} setups={setups.flatMap(({ data }) => (data === undefined ? [] : [data]))} />
          <Overlaid runs={runs} />
          <FinalFiles runs={runs} />
          <Steps runs={runs} step={search.step} />
        </>
      )}
    </div>
  );
}

const letter = (index: number): string => String.fromCharCode(65 + index);

/** What differs first; what is equal is folded. */
function Differences({ runs, setups }: { runs: readonly Head[]; setups: readonly Setup[] }) {
  const ofSetup = (read: (setup: Setup) => unknown): string[] =>
    setups.length < runs.length ? [] : setups.map((setup) => JSON.stringify(read(setup)).replaceAll('"', ''));
  const rows: [string, string[]][] = [
    ['model', runs.map(({ run }) => run.model)],
    ['task', runs.map(({ run }) => run.task)],
    ['contract', runs.map(({ run }) => String(run.contract))],
    ['task hash', runs.map(({ run }) => run.taskHash.slice(0, 16))],
    ['agent', runs.map(({ run }) => run.agent)],
    ['agent hash', runs.map(({ run }) => run.agentHash.slice(0, 16))],
    ['provider', runs.map(({ run }) => `${run.provider}: ${run.providerModel}`)],
    ['sampling', runs.map(({ run }) => JSON.stringify(run.sampling).replaceAll(/[{}"]/g, ''))],
    ['attempt', runs.map(({ run }) => String(run.attempt))],
    ['seed', runs.map(({ run }) => String(run.seed))],
    ['steps at most', runs.map(({ run }) => (run.maxSteps === 0 ? '–' : String(run.maxSteps)))],
    ['model config', ofSetup(({ model }) => model.configHash ?? '–')],
    ['cost limit', ofSetup(({ limits }) => limits.costLimitUsd ?? 'none')],
    ['token limit', ofSetup(({ limits }) => limits.tokenLimit)],
    ['image', runs.map(({ run }) => run.imageDigest ?? '–')],
    ['backend', runs.map(({ run }) => run.backend)],
    ['isolation', runs.map(({ run }) => run.isolation ?? '–')],
    ['data', runs.map(({ run }) => (run.sample ? 'sample' : 'real'))],
    ['profile', runs.map(({ run }) => run.profile ?? 'own budget')],
    ['harness', runs.map(({ run }) => run.harnessVersion)],
  ];
  const known = rows.filter(([, values]) => values.length > 0);
  const other = known.filter(([, values]) => new Set(values).size > 1);
  const equal = known.filter(([, values]) => new Set(values).size === 1);
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label="Results and setups">
        <table>
          <thead>
            <tr>
              <th />
              {runs.map(({ run }, i) => (
                <th key={run.runId}>
                  <span style={{ color: styleOf(i).color }}>{letter(i)}</span> <RunLink id={run.runId} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">state</th>
              {runs.map((head) => (
                <td key={head.run.runId}>
                  <RunState run={{ ...head.run, outcome: head.outcome }} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">best</th>
              {runs.map(({ run }) => (
                <td key={run.runId}>
                  <strong>
                    <Score value={run.bestScore} />
                  </strong>{' '}
                  <span className="muted">{run.direction === 'maximize' ? '↑' : '↓'}</span>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">final</th>
              {runs.map(({ run }) => (
                <td key={run.runId}>
                  <Score value={run.finalScore} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">steps</th>
              {runs.map(({ run }) => (
                <td key={run.runId} className="number">
                  {count(run.steps)}
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">cost</th>
              {runs.map(({ run }) => (
                <td key={run.runId}>
                  <Money usd={run.costUsd} />
                </td>
              ))}
            </tr>
            {other.map(([name, values]) => (
              <tr key={name} className="differs">
                <th scope="row">≠ {name}</th>
                {values.map((value, i) => (
                  <td key={i} className="wrap">
                    <Text value={value} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {equal.length > 0 && (
        <details>
          <summary>Equal: {equal.map(([name]) => name).join(', ')}</summary>
          <dl className="facts-table">
            {equal.map(([name, [value]]) => (
              <div key={name} className="fact">
                <dt>{name}</dt>
                <dd>
                  <Text value={value!} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

function Overlaid({ runs }: { runs: readonly Head[] }) {
  const chart = useMemo((): Chart => {
    const lines = runs.map(({ run }) =>
      run.evaluationList.flatMap(({ step, split, primary }) =>
        split === 'test' && primary !== null ? [[step, primary] as const] : [],
      ),
    );
    return {
      id: 'overlaid',
      title: 'Scores over steps',
      description: runs
        .map(
          ({ run }, i) =>
            `${letter(i)} ${plainText(run.model)}: ${lines[i]!.map(([step, value]) => `${step} ${score(value)}`).join(', ')}`,
        )
        .join('; '),
      draw: (_, narrow) => ({
        height: 280,
        option: {
          grid: { left: 56, right: narrow ? 16 : 60, top: 18, bottom: 44 },
          tooltip: { trigger: 'item', renderMode: 'richText' },
          xAxis: {
            type: 'value',
            min: 0,
            name: 'step',
            nameLocation: 'middle',
            nameGap: 28,
            nameTextStyle: TEXT,
            axisLabel: TEXT,
            axisLine: AXIS_LINE,
            splitLine: { show: false },
          },
          yAxis: {
            type: 'value',
            scale: true,
            axisLabel: { ...TEXT, formatter: (value: number) => score(value) },
            splitLine: SPLIT_LINE,
          },
          series: lines.map((data, i) => {
            const style = styleOf(i);
            return {
              name: letter(i),
              type: 'line' as const,
              data: data.map(([step, value]) => [step, value]),
              symbol: style.symbol,
              symbolSize: 9,
              lineStyle: { color: style.color, type: style.dash, width: 1.5 },
              itemStyle: { color: style.color },
              ...(narrow ? {} : { endLabel: { show: true, formatter: letter(i), color: style.color } }),
            };
          }),
        },
      }),
    };
  }, [runs]);
  return runs.some(({ run }) => run.evaluationList.some(({ primary }) => primary !== null)) ? (
    <ChartView chart={chart} />
  ) : null;
}

/** What the first two handed in at last, file by file. */
function FinalFiles({ runs }: { runs: readonly Head[] }) {
  const [a, b] = [runs[0]!.run.runId, runs[1]!.run.runId];
  const files = [useQuery(asked('files', { id: a }, {})), useQuery(asked('files', { id: b }, {}))];
  const last = files.map(
    ({ data }) =>
      data?.submissions.findLast(({ files: some, kind }) => some !== null && kind !== 'baseline')?.files ?? null,
  );
  if (last[0] == null || last[1] == null) return null;
  const [old, fresh] = last.map((some) => new Map(some!.map(({ path, sha256 }) => [path, sha256]))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  const changed = [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((path) => old.get(path) !== fresh.get(path))
    .sort();
  return (
    <>
      <h2>Last submissions: from A to B</h2>
      {changed.length === 0 ? (
        <p className="muted">The same files.</p>
      ) : (
        changed.map((path) => (
          <Diff
            key={path}
            path={path}
            before={old.get(path) ?? null}
            after={fresh.get(path) ?? null}
            open={changed.length < 3}
          />
        ))
      )}
    </>
  );
}

function Steps({ runs, step }: { runs: readonly Head[]; step: number | undefined }) {
  const navigate = useNavigate({ from: '/compare' });
  const [a, b] = [runs[0]!.run, runs[1]!.run];
  const first = useSkeleton(a.runId);
  const second = useSkeleton(b.runId);
  const [rows, setRows] = useState<Aligned | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const copied = a.forkedFrom === b.runId ? a.forkedAtStep : b.forkedFrom === a.runId ? b.forkedAtStep : null;
  useEffect(() => {
    if (first.data === undefined || second.data === undefined) return undefined;
    let gone = false;
    offThread('alignSteps', first.data.columns.category, second.data.columns.category, copied ?? 0).then(
      (found) => !gone && setRows(found),
      (error: unknown) => !gone && setFailed(error),
    );
    return () => {
      gone = true;
    };
  }, [first.data, second.data, copied]);
  const [all, setAll] = useState(200);
  const parted = rows?.rows.findIndex(({ kind }) => kind !== 'same') ?? -1;
  const at = step ?? (parted === -1 ? 0 : parted);
  const go = (to: number): void => void navigate({ search: (now) => ({ ...now, step: to }), replace: true });
  const next = (by: 1 | -1): void => {
    if (rows === null) return;
    for (let i = at + by; i >= 0 && i < rows.rows.length; i += by) if (rows.rows[i]!.kind !== 'same') return go(i);
  };
  useKeys('Compare', [
    { keys: ']', does: 'next difference', run: () => next(1) },
    { keys: '[', does: 'difference before', run: () => next(-1) },
    { keys: 'l', does: 'next row', run: () => go(Math.min((rows?.rows.length ?? 1) - 1, at + 1)) },
    { keys: 'h', does: 'row before', run: () => go(Math.max(0, at - 1)) },
  ]);
  if (first.error !== null) return <Failure error={first.error} />;
  if (second.error !== null) return <Failure error={second.error} />;
  if (failed !== null) return <Failure error={failed} />;
  if (rows === null || first.data === undefined || second.data === undefined) return <Loading what="steps" />;
  const chosen = rows.rows[at];
  return (
    <>
      <h2>Steps of A and B</h2>
      <p>
        {parted === -1
          ? 'Their steps are of the same kinds throughout.'
          : `First divergence: row ${parted + 1}${rows.rows[parted]!.a === null ? '' : `, step ${(rows.rows[parted]!.a ?? 0) + 1} of A`}${rows.rows[parted]!.b === null ? '' : `, step ${(rows.rows[parted]!.b ?? 0) + 1} of B`}.`}{' '}
        <span className="muted">
          Aligned {copied === null ? '' : `exactly up to step ${copied} (a fork), then `}by {rows.by}.
        </span>{' '}
        <button type="button" onClick={() => next(-1)}>
          ‹ difference
        </button>{' '}
        <button type="button" onClick={() => next(1)}>
          difference ›
        </button>
      </p>
      <div className="compare">
        <ol className="aligned" aria-label="Aligned steps">
          {rows.rows.slice(0, all).map(({ a: left, b: right, kind }, i) => (
            <li key={i} className={kind}>
              <button type="button" className="plain" aria-pressed={i === at} onClick={() => go(i)}>
                <span className="number">{left === null ? '·' : left + 1}</span>
                <span className="number">{right === null ? '·' : right + 1}</span>
                <span>
                  {left === null ? '—' : first.data.columns.category[left]}
                  {kind === 'same' ? '' : ` | ${right === null ? '—' : (second.data.columns.category[right] ?? '')}`}
                </span>
                <span className="muted number">
                  {[
                    left === null ? null : first.data.columns.score[left],
                    right === null ? null : second.data.columns.score[right],
                  ]
                    .flatMap((one) => (one == null ? [] : [score(one)]))
                    .join(' | ')}
                </span>
              </button>
            </li>
          ))}
          {rows.rows.length > all && (
            <li>
              <button type="button" onClick={() => setAll(all + 1000)}>
                {count(rows.rows.length - all)} more rows
              </button>
            </li>
          )}
        </ol>
        {chosen !== undefined && (
          <div className="pair">
            {(
              [
                ['A', a.runId, chosen.a, first.data],
                ['B', b.runId, chosen.b, second.data],
              ] as const
            ).map(([name, id, place, skeleton]) => (
              <section key={name} aria-label={`Step of ${name}`}>
                {place === null ? (
                  <p className="muted">{name} has no such step here.</p>
                ) : (
                  <>
                    <h3>
                      {name}, step{' '}
                      <Link to="/runs/$id" params={{ id }} search={{ step: skeleton.columns.step[place]! }}>
                        {skeleton.columns.step[place]}
                      </Link>{' '}
                      <span className="muted">
                        {skeleton.columns.category[place]}, {usd(skeleton.columns.costUsd[place])}
                      </span>
                    </h3>
                    <StepBody id={id} step={skeleton.columns.step[place]!} density="reading" thoughts events={[]} />
                  </>
                )}
              </section>
            ))}
          </div>
        )}
      </div>
    </>
  );
}
