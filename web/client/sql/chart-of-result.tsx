import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import type { SqlSearch } from '../address/pages.js';
import { ChartView } from '../parts/chart-view.js';
import { plainText } from '../parts/text.js';
import { CHART_KINDS, kindsOf, likelyChart, quickChart } from './quick-chart.js';

/** What was found as a picture: first as it is likely meant, then as the address says. */
export function ChartOfResult({ result }: { result: Answer<'sql'> }) {
  const search = useSearch({ from: '/sql' });
  const navigate = useNavigate({ from: '/sql' });
  const change = (more: Partial<Record<keyof SqlSearch, unknown>>): void =>
    void navigate({ search: (now) => ({ ...now, ...more }) as SqlSearch, replace: true });
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
        <label>
          As{' '}
          <select value={wish.kind} onChange={(event) => change({ chart: event.currentTarget.value })}>
            {CHART_KINDS.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label>
          By{' '}
          <select value={wish.x} onChange={(event) => change({ x: columns[Number(event.currentTarget.value)] })}>
            {columns.map((name, i) => (
              <option key={i} value={i}>
                {plainText(name)}
              </option>
            ))}
          </select>
        </label>
        {numbers
          .filter((i) => i !== wish.x)
          .map((i) => (
            <label key={i}>
              <input
                type="checkbox"
                checked={wish.y.includes(i)}
                onChange={({ currentTarget: { checked } }) =>
                  change({
                    y: numbers
                      .filter((one) => (one === i ? checked : wish.y.includes(one)))
                      .map((one) => columns[one]!),
                  })
                }
              />{' '}
              {plainText(columns[i]!)}
            </label>
          ))}
      </div>
      <ChartView chart={chart} />
    </div>
  );
}
