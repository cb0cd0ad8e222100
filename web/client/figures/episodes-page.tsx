import { formatCount, formatDuration, formatPercent, formatScore, plural } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { type Change, useChange } from '../address/change.js';
import { type EpisodesSearch, EPISODE_TABS } from '../address/pages.js';
import { document as asked } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { Choice } from '../parts/fields.js';
import { words } from '../parts/format.js';
import { Grid, type GridColumn } from '../parts/grid.js';
import { Page } from '../parts/page.js';
import { Empty, Shown } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Table } from '../parts/table.js';
import { plainText, Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { BatchLink, RunLink, RunState, Score } from '../parts/values.js';
import { rewardChart, shareChart } from './policy-chart.js';

type Episode = Answer<'episodes'>['episodes'][number];
const TITLES = { curves: 'Curves', groups: 'Groups', episodes: 'Episodes' } as const;

export function EpisodesPage() {
  useTitle('Episodes');
  const search = useSearch({ from: '/episodes' });
  const change = useChange('/episodes');
  const batches = useQuery({
    ...asked('batches', {}, { limit: 1000 }),
    select: ({ batches: all }) => all.filter(({ training }) => training),
  });
  const batch = search.batch ?? batches.data?.[0]?.batchId;
  useLive(batch === undefined ? null : `batch:${batch}`);
  const tab = search.tab ?? 'curves';
  return (
    <Page
      title="Episodes"
      head={
        <>
          <span className="grow" />
          {batch !== undefined && batches.data !== undefined && batches.data.length > 0 && (
            <Choice
              label="Batch"
              value={batch}
              options={batches.data.map(({ batchId, name }) => [batchId, plainText(name ?? batchId)] as const)}
              onChange={(one) => change({ batch: one })}
            />
          )}
        </>
      }
    >
      <Shown of={batches} what="training batches" rows={10}>
        {(all) =>
          batch === undefined || all.length === 0 ? (
            <Empty title="No training batch yet" command="bench env serve">
              <p>A trainer plays episodes in a served environment:</p>
            </Empty>
          ) : (
            <>
              <p>
                <BatchLink id={batch} name={all.find(({ batchId }) => batchId === batch)?.name} />
              </p>
              <Tabs
                label="Of the batch"
                tabs={EPISODE_TABS.map((name) => ({ name, title: TITLES[name] }))}
                chosen={tab}
                onChoose={(name) => change({ tab: name })}
              >
                {tab === 'curves' ? (
                  <Curves batch={batch} />
                ) : tab === 'groups' ? (
                  <Groups batch={batch} onGroup={(more) => change({ tab: 'episodes', ...more })} />
                ) : (
                  <List batch={batch} search={search} change={change} />
                )}
              </Tabs>
            </>
          )
        }
      </Shown>
    </Page>
  );
}

function Curves({ batch }: { batch: string }) {
  const policies = useQuery(asked('policies', { id: batch }, {}));
  return (
    <Shown of={policies} what="policy versions" rows={12}>
      {({ policies: all }) => <PolicyFigures policies={all} />}
    </Shown>
  );
}

function PolicyFigures({ policies }: { policies: Answer<'policies'>['policies'] }) {
  const charts = useMemo(() => [rewardChart(policies), shareChart(policies)], [policies]);
  if (policies.length === 0) return <Empty title="No episode has begun" />;
  return (
    <>
      {policies.some(({ policy_version: version }) => version !== null) &&
        charts.map((chart) => <ChartView key={chart.id} chart={chart} />)}
      <h2>By policy version</h2>
      <Table
        label="Policy versions"
        wide
        rows={policies}
        rowKey={(one) => one.policy_version ?? 'none'}
        columns={[
          { title: 'Version', className: 'number', cell: (one) => one.policy_version ?? 'none' },
          { title: 'Episodes', right: true, cell: (one) => formatCount(one.episodes) },
          { title: 'Ended', right: true, cell: (one) => formatCount(one.ended) },
          { title: 'Reward', right: true, cell: (one) => <Score value={one.reward} /> },
          { title: 'Std', right: true, cell: (one) => <Score value={one.reward_std} /> },
          { title: 'Lowest', right: true, cell: (one) => <Score value={one.reward_min} /> },
          { title: 'Highest', right: true, cell: (one) => <Score value={one.reward_max} /> },
          { title: 'Gain', right: true, cell: (one) => <Score value={one.gain} /> },
          { title: 'Groups', right: true, cell: (one) => formatCount(one.groups) },
          { title: 'No spread', right: true, cell: (one) => share(one.frac_reward_zero_std) },
          {
            title: 'Cut off by',
            cell: (one) =>
              Object.entries(one.truncations)
                .map(([reason, episodes]) => `${words(reason)} ×${episodes}`)
                .join(', '),
          },
          { title: 'Masked', right: true, cell: (one) => formatCount(one.masked) },
          { title: 'Turns', right: true, cell: (one) => formatScore(one.num_turns) },
          { title: 'Format errors', right: true, cell: (one) => share(one.format_error_share) },
          { title: 'Staleness', right: true, cell: (one) => formatScore(one.staleness) },
          { title: 'Think', right: true, cell: (one) => formatDuration(one.think_ms) },
          { title: 'Command', right: true, cell: (one) => formatDuration(one.command_ms) },
        ]}
      />
    </>
  );
}
const share = (value: number | null): string => (value === null ? '–' : formatPercent(value));

const GROUPS_SHOWN = 500;

function Groups({ batch, onGroup }: { batch: string; onGroup: Change<'/episodes'> }) {
  const groups = useQuery(asked('groups', { id: batch }, {}));
  return (
    <Shown of={groups} what="groups" rows={12}>
      {({ groups: all }) =>
        all.length === 0 ? (
          <Empty title="No episode has begun" />
        ) : (
          <>
            <p className="muted">
              {plural(all.length, 'group')}
              {all.length > GROUPS_SHOWN && `, the last ${GROUPS_SHOWN} of them`}; without spread, all rewards are equal
              and teach nothing
            </p>
            <Table
              label="Groups"
              wide
              rows={all.slice(-GROUPS_SHOWN)}
              rowKey={(_, i) => i}
              columns={[
                { title: 'Version', className: 'number', cell: (one) => one.policy_version ?? 'none' },
                { title: 'Task', cell: (one) => <Text value={one.task} /> },
                {
                  title: 'Group',
                  cell: (one) =>
                    one.group === null ? (
                      <span className="none">none</span>
                    ) : (
                      <button type="button" className="plain" onClick={() => onGroup({ group: one.group! })}>
                        <Text value={one.group} />
                      </button>
                    ),
                },
                { title: 'Seed', right: true, cell: (one) => one.seed ?? 'several' },
                { title: 'Episodes', right: true, cell: (one) => one.episodes },
                { title: 'Rewarded', right: true, cell: (one) => one.rewarded },
                { title: 'Reward', right: true, cell: (one) => <Score value={one.reward} /> },
                { title: 'Std', right: true, cell: (one) => <Score value={one.reward_std} /> },
                {
                  title: 'From lowest to highest',
                  cell: (one) =>
                    one.zero_spread === true ? (
                      <span className="badge warn">
                        <span aria-hidden="true">▲</span>no spread, at {formatScore(one.reward)}
                      </span>
                    ) : (
                      <span className="number">
                        {formatScore(one.reward_min)} to {formatScore(one.reward_max)}
                      </span>
                    ),
                },
              ]}
            />
          </>
        )
      }
    </Shown>
  );
}

function List({ batch, search, change }: { batch: string; search: EpisodesSearch; change: Change<'/episodes'> }) {
  const navigate = useNavigate();
  const { group, policyVersion, state } = search;
  const episodes = useQuery(
    asked(
      'episodes',
      {},
      {
        batch,
        ...(group !== undefined && { group }),
        ...(policyVersion !== undefined && { policyVersion }),
        ...(state !== undefined && { state }),
      },
    ),
  );
  return (
    <>
      <div className="toolbar" role="group" aria-label="Which episodes">
        <Choice
          label="State"
          value={state}
          options={[
            [undefined, 'all'],
            ['open', 'open'],
            ['ended', 'ended'],
          ]}
          onChange={(one) => change({ state: one })}
        />
        <label>
          Policy version{' '}
          <input
            type="number"
            min={0}
            key={policyVersion ?? 'none'}
            defaultValue={policyVersion}
            onBlur={(event) => {
              const typed = event.currentTarget.value;
              change({ policyVersion: typed === '' ? undefined : Number(typed) });
            }}
          />
        </label>
        {group !== undefined && (
          <button type="button" onClick={() => change({ group: undefined })}>
            group <Text value={group} /> ✕
          </button>
        )}
      </div>
      <Shown of={episodes} what="episodes" rows={12}>
        {({ episodes: all, more }) =>
          all.length === 0 ? (
            <Empty title="No episode matches" />
          ) : (
            <>
              <p className="muted">
                {more ? `the newest ${plural(all.length, 'episode')}, there are more` : plural(all.length, 'episode')}
              </p>
              <div className="boxed-grid">
                <Grid
                  label={`Episodes, ${all.length}`}
                  columns={COLUMNS}
                  rows={all}
                  keyOf={({ runId }) => runId}
                  total={more ? null : all.length}
                  onOpen={({ runId }) => void navigate({ to: '/runs/$id', params: { id: runId } })}
                />
              </div>
            </>
          )
        }
      </Shown>
    </>
  );
}

const COLUMNS: GridColumn<Episode>[] = [
  {
    key: 'episode',
    title: 'Episode',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ runId, episodeId }) => (
      <RunLink id={runId}>
        <Text value={episodeId} />
      </RunLink>
    ),
  },
  { key: 'task', title: 'Task', width: 'minmax(6rem, 1fr)', cell: ({ task }) => <Text value={task} /> },
  {
    key: 'group',
    title: 'Group',
    width: 'minmax(5rem, 1fr)',
    cell: ({ group }) => (group === null ? <span className="none">none</span> : <Text value={group} />),
  },
  { key: 'version', title: 'Version', width: '4.5rem', right: true, cell: ({ policyVersion: at }) => at ?? '–' },
  { key: 'state', title: 'State', width: '9rem', cell: (episode) => <RunState run={episode} /> },
  { key: 'reward', title: 'Reward', width: '5.5rem', right: true, cell: ({ reward }) => <Score value={reward} /> },
  { key: 'gain', title: 'Gain', width: '5.5rem', right: true, cell: ({ gain }) => <Score value={gain} /> },
  { key: 'turns', title: 'Turns', width: '4rem', right: true, cell: ({ numTurns }) => formatCount(numTurns) },
  {
    key: 'errors',
    title: 'Format errors',
    width: '7rem',
    right: true,
    cell: ({ formatErrors }) => formatCount(formatErrors),
  },
  {
    key: 'fault',
    title: 'Fault',
    width: 'minmax(5rem, 1fr)',
    cell: ({ fault, masked }) =>
      fault === null ? masked ? <span className="muted">masked</span> : '' : <Text value={fault} />,
  },
  { key: 'created', title: 'Begun', width: '6rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
];
