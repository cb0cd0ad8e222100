import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AXIS_LINE, type Chart, SPLIT_LINE, TEXT } from '../parts/chart.js';
import { styleOf } from '../parts/series.js';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { ChartView } from '../parts/chart-view.js';
import { ChangedFiles } from '../parts/diff.js';
import { formatCount, formatScore } from '../../../domain/text/format.js';
import { Scroll } from '../parts/table.js';
import { plainText, Text } from '../parts/text.js';
import { Fact, Money, RunLink, RunState, Score } from '../parts/values.js';

type Head = Answer<'run'>;
type Setup = Answer<'setup'>;

const letter = (index: number): string => String.fromCharCode(65 + index);

/** What may differ between runs, by its name; without values as long as not all setups are here. */
function conditionsOf(runs: readonly Head[], setups: readonly Setup[]): [name: string, values: string[]][] {
  const ofSetup = (read: (setup: Setup) => unknown): string[] =>
    setups.length < runs.length ? [] : setups.map((setup) => JSON.stringify(read(setup)).replaceAll('"', ''));
  return [
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
}

/** What differs first; what is equal is folded. */
export function Differences({ runs, setups }: { runs: readonly Head[]; setups: readonly Setup[] }) {
  const known = conditionsOf(runs, setups).filter(([, values]) => values.length > 0);
  const other = known.filter(([, values]) => new Set(values).size > 1);
  const equal = known.filter(([, values]) => new Set(values).size === 1);
  return (
    <>
      <Scroll label="Results and setups">
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
            <Results runs={runs} />
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
      </Scroll>
      {equal.length > 0 && (
        <details>
          <summary>Equal: {equal.map(([name]) => name).join(', ')}</summary>
          <dl className="facts-table">
            {equal.map(([name, [value]]) => (
              <Fact key={name} name={name}>
                <Text value={value!} />
              </Fact>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

function Results({ runs }: { runs: readonly Head[] }) {
  const row = (name: string, cell: (head: Head) => React.ReactNode, className?: string) => (
    <tr>
      <th scope="row">{name}</th>
      {runs.map((head) => (
        <td key={head.run.runId} className={className}>
          {cell(head)}
        </td>
      ))}
    </tr>
  );
  return (
    <>
      {row('state', ({ run, outcome }) => (
        <RunState run={{ ...run, outcome }} />
      ))}
      {row('best', ({ run }) => (
        <>
          <strong>
            <Score value={run.bestScore} />
          </strong>{' '}
          <span className="muted">{run.direction === 'maximize' ? '↑' : '↓'}</span>
        </>
      ))}
      {row('final', ({ run }) => (
        <Score value={run.finalScore} />
      ))}
      {row('steps', ({ run }) => formatCount(run.steps), 'number')}
      {row('cost', ({ run }) => (
        <Money usd={run.costUsd} />
      ))}
    </>
  );
}

export function Overlaid({ runs }: { runs: readonly Head[] }) {
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
            `${letter(i)} ${plainText(run.model)}: ${lines[i]!.map(([step, value]) => `${step} ${formatScore(value)}`).join(', ')}`,
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
            axisLabel: { ...TEXT, formatter: (value: number) => formatScore(value) },
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
export function FinalFiles({ runs }: { runs: readonly Head[] }) {
  const a = useQuery(asked('files', { id: runs[0]!.run.runId }, {}));
  const b = useQuery(asked('files', { id: runs[1]!.run.runId }, {}));
  const [before, after] = [a, b].map(
    ({ data }) => data?.submissions.findLast(({ files, kind }) => files !== null && kind !== 'baseline')?.files,
  );
  if (before == null || after == null) return null;
  return (
    <>
      <h2>Last submissions: from A to B</h2>
      <ChangedFiles before={before} after={after} most={2} none="The same files." />
    </>
  );
}
