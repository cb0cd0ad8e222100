import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { Page } from '../parts/page.js';
import { Empty, Shown } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { Score } from '../parts/values.js';
import { trendChart } from './trend-chart.js';

/** One model at one task, batch by batch. */
export function TrendPage() {
  useTitle('Trend');
  const { task = '', model = '' } = useSearch({ from: '/trend' });
  const trend = useQuery(asked('trend', {}, { task, model }));
  return (
    <Page title="Trend">
      <p>
        <Link to="/models/$name" params={{ name: model }}>
          <Text value={model} />
        </Link>{' '}
        at{' '}
        <Link to="/tasks/$name" params={{ name: task }}>
          <Text value={task} />
        </Link>
      </p>
      <Shown of={trend} what="the trend" rows={12}>
        {(data) => <Points of={data} />}
      </Shown>
    </Page>
  );
}

function Points({ of }: { of: Answer<'trend'> }) {
  const chart = useMemo(() => trendChart(of), [of]);
  if (of.points.length === 0) return <Empty title="No batch has a run that counts" />;
  return (
    <>
      <ChartView chart={chart} />
      <Table
        label="Batches"
        wide
        rows={of.points.toReversed()}
        rowKey={({ batchId, contract }) => `${batchId} ${contract}`}
        columns={[
          {
            title: 'Batch',
            cell: ({ batchId, name }) => (
              <Link to="/batches/$id" params={{ id: batchId }}>
                <Text value={name ?? batchId} />
              </Link>
            ),
          },
          { title: 'Submitted', cell: ({ at }) => <Time at={at} /> },
          { title: 'Contract', right: true, cell: ({ contract }) => contract },
          { title: 'Runs', right: true, cell: ({ runs }) => runs },
          { title: 'Scored', right: true, cell: ({ scored }) => scored },
          { title: 'Lowest', right: true, cell: ({ low }) => <Score value={low} /> },
          { title: 'Median', right: true, cell: ({ median }) => <Score value={median} /> },
          { title: 'Highest', right: true, cell: ({ high }) => <Score value={high} /> },
        ]}
      />
    </>
  );
}
