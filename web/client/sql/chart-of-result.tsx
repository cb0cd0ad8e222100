import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { useChange } from '../address/change.js';
import { ChartView } from '../parts/chart-view.js';
import { Checkbox, Choice } from '../parts/fields.js';
import { plainText } from '../parts/text.js';
import { CHART_KINDS, kindsOf, likelyChart, quickChart } from './quick-chart.js';

export function ChartOfResult({ result }: { result: Answer<'sql'> }) {
  const search = useSearch({ from: '/sql' });
  const change = useChange('/sql');
  const likely = useMemo(() => likelyChart(result), [result]);
  const numbers = useMemo(() => kindsOf(result).flatMap((kind, i) => (kind === 'number' ? [i] : [])), [result]);
  const { columns } = result;
  const placeOf = (name: string | undefined): number => (name === undefined ? -1 : columns.indexOf(name));
  const x = placeOf(search.x);
  const asked = (search.y ?? []).map(placeOf).filter((i) => numbers.includes(i));
  const wish = useMemo(
    () =>
      likely === null
        ? null
        : {
            kind: search.chart ?? likely.kind,
            x: x < 0 ? likely.x : x,
            y: asked.length === 0 ? likely.y : asked,
          },
    [likely, search.chart, x, asked.join()], // eslint-disable-line react-hooks/exhaustive-deps -- the same places are the same wish
  );
  const chart = useMemo(() => (wish === null ? null : quickChart(result, wish)), [result, wish]);
  if (wish === null || chart === null)
    return <p className="muted">Nothing to draw: a chart needs a column of numbers and another column.</p>;
  return (
    <div className="quick-chart">
      <div className="toolbar" role="group" aria-label="How it is drawn">
        <Choice label="As" value={wish.kind} options={CHART_KINDS} onChange={(kind) => change({ chart: kind }, true)} />
        <Choice
          label="By"
          value={wish.x}
          options={columns.map((name, i) => [i, plainText(name)] as const)}
          onChange={(i) => change({ x: columns[i] }, true)}
        />
        {numbers
          .filter((i) => i !== wish.x)
          .map((i) => (
            <Checkbox
              key={i}
              checked={wish.y.includes(i)}
              onChange={(checked) => {
                const next = numbers.filter((one) => (one === i ? checked : wish.y.includes(one)));
                change({ y: next.map((one) => columns[one]!) }, true);
              }}
            >
              {plainText(columns[i]!)}
            </Checkbox>
          ))}
      </div>
      <ChartView chart={chart} />
    </div>
  );
}
