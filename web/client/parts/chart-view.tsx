import { useEffect, useRef, useState } from 'react';
import type { Chart } from './chart.js';
import type { Drawn } from './draw-chart.js';
import { plainText, Text } from './text.js';

export function ChartView({
  chart,
  onClick,
  children,
  title = true,
}: {
  chart: Chart;
  onClick?: (name: string) => void;
  children?: React.ReactNode;
  title?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const latest = useRef({ chart, onClick });
  useEffect(() => {
    latest.current = { chart, onClick };
  });
  const [width, setWidth] = useState(0);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let gone = false;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(element);
    void import('./draw-chart.js').then(({ drawChart }) => {
      if (gone) return;
      drawn.current = drawChart(element, (name) => latest.current.onClick?.(name));
      setReady(true);
    });
    return () => {
      gone = true;
      observer.disconnect();
      drawn.current?.dispose();
      drawn.current = null;
    };
  }, []);
  const narrow = width < 640;
  const { height, option } = chart.draw(Math.max(width, 300), narrow);
  useEffect(() => {
    if (ready && width > 0) drawn.current?.show(option, { width, height });
    // The option is a new object each time; chart and width tell when it changes.
  }, [chart, width, ready]); // eslint-disable-line react-hooks/exhaustive-deps
  return (
    <figure className="chart">
      {title && <figcaption>{chart.title}</figcaption>}
      <div role="img" aria-label={plainText(`${chart.title}. ${chart.description}`)} style={{ height }}>
        <div ref={box} style={{ height }} aria-hidden="true" />
      </div>
      {narrow && <Legend option={option} />}
      {children !== undefined && (
        <details>
          <summary>as a table</summary>
          {children}
        </details>
      )}
    </figure>
  );
}

function Legend({ option }: { option: ReturnType<Chart['draw']>['option'] }) {
  const lines = ((option.series ?? []) as Line[]).flatMap(({ type, name, data, lineStyle }) =>
    type === 'line' && name !== undefined && (data?.length ?? 0) > 0 ? [{ name, ...lineStyle }] : [],
  );
  if (lines.length < 2) return null;
  return (
    <ul className="chart-legend" aria-hidden="true">
      {lines.map(({ name, color, type = 'solid' }) => (
        <li key={name}>
          <i style={{ borderTop: `2px ${type} ${color ?? 'var(--ink)'}` }} /> <Text value={name} />
        </li>
      ))}
    </ul>
  );
}

interface Line {
  type?: string;
  name?: string;
  data?: readonly unknown[];
  lineStyle?: { color?: string; type?: 'solid' | 'dashed' | 'dotted' };
}
