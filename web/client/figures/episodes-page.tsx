import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Answer } from '../../api/index.js';
import { type EpisodesSearch, EPISODE_TABS } from '../address/pages.js';
import { document as asked } from '../data/queries.js';
import { useLive } from '../live/live.js';
import { ChartView } from '../parts/chart-view.js';
import { Time } from '../parts/clock.js';
import { count, duration, percent, plural, score, words } from '../parts/format.js';
import { Grid, type GridColumn } from '../parts/grid.js';
import { Empty, Shown } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { plainText, Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { BatchLink, RunLink, RunState, Score } from '../parts/values.js';
import { rewardChart, shareChart } from './policy-chart.js';

/** Undefined takes away. */
type Change = { [Name in keyof EpisodesSearch]?: EpisodesSearch[Name] | undefined };
type Episode = Answer<'episodes'>['episodes'][number];
const TITLES = { curves: 'Curves', groups: 'Groups', episodes: 'Episodes' } as const;

/** Does the policy learn, and on what? */
export function EpisodesPage() {
  useTitle('Episodes');
  const search = useSearch({ from: '/episodes' });
  const navigate = useNavigate({ from: '/episodes' });
  const change = (more: Change): void => void navigate({ search: (now) => ({ ...now, ...more }) as EpisodesSearch });
  const batches = useQuery({
    ...asked('batches', {}, { limit: 1000 }),
    select: ({ batches: all }) => all.filter(({ training }) => training),
  });
  const batch = search.batch ?? batches.data?.[0]?.batchId;
  useLive(batch === undefined ? null : `batch:${batch}`);
  const tab = search.tab ?? 'curves';
  return (
    <div className="page">
      <div className="page-head">
        <h1>Episodes</h1>
        <span className="grow" />
        {batches.data !== undefined && batches.data.length > 0 && (
          <label>
            Batch{' '}
            <select value={batch} onChange={(event) => change({ batch: event.currentTarget.value })}>
              {batches.data.map(({ batchId, name }) => (
                <option key={batchId} value={batchId}>
                  {plainText(name ?? batchId)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Shown of={batches} what="training batches" rows={10}>
        {(all) =>
          batch === undefined || all.length === 0 ? (
            <Empty title="No trainer has played yet" command="bench env serve">
              <p>A trainer plays episodes in an environment that is served:</p>
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
    </div>
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
      <div className="scroll" tabIndex={0} role="region" aria-label="Policy versions">
        <table className="wide">
          <thead>
            <tr>
              {[
                'Version',
                'Episodes',
                'Ended',
                'Reward',
                'Std',
                'Lowest',
                'Highest',
                'Gain',
                'Groups',
                'No spread',
              ].map((name, i) => (
                <th key={name} className={i === 0 ? undefined : 'right'}>
                  {name}
                </th>
              ))}
              <th>Cut off by</th>
              {['Masked', 'Turns', 'Format errors', 'Staleness', 'Think', 'Command'].map((name) => (
                <th key={name} className="right">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {policies.map((one) => (
              <tr key={one.policy_version ?? 'none'}>
                <td className="number">{one.policy_version ?? 'none'}</td>
                <td className="right number">{count(one.episodes)}</td>
                <td className="right number">{count(one.ended)}</td>
                {(['reward', 'reward_std', 'reward_min', 'reward_max', 'gain'] as const).map((name) => (
                  <td key={name} className="right">
                    <Score value={one[name]} />
                  </td>
                ))}
                <td className="right number">{count(one.groups)}</td>
                <td className="right number">{share(one.frac_reward_zero_std)}</td>
                <td>
                  {Object.entries(one.truncations)
                    .map(([reason, episodes]) => `${words(reason)} ×${episodes}`)
                    .join(', ')}
                </td>
                <td className="right number">{count(one.masked)}</td>
                <td className="right number">{score(one.num_turns)}</td>
                <td className="right number">{share(one.format_error_share)}</td>
                <td className="right number">{score(one.staleness)}</td>
                <td className="right number">{duration(one.think_ms)}</td>
                <td className="right number">{duration(one.command_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
const share = (value: number | null): string => (value === null ? '–' : percent(value));

const GROUPS_SHOWN = 500;

function Groups({ batch, onGroup }: { batch: string; onGroup: (more: Change) => void }) {
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
              and nothing is learnt
            </p>
            <div className="scroll" tabIndex={0} role="region" aria-label="Groups">
              <table className="wide">
                <thead>
                  <tr>
                    <th>Version</th>
                    <th>Task</th>
                    <th>Group</th>
                    <th className="right">Seed</th>
                    <th className="right">Episodes</th>
                    <th className="right">Rewarded</th>
                    <th className="right">Reward</th>
                    <th className="right">Std</th>
                    <th>From lowest to highest</th>
                  </tr>
                </thead>
                <tbody>
                  {all.slice(-GROUPS_SHOWN).map((one, i) => (
                    <tr key={i}>
                      <td className="number">{one.policy_version ?? 'none'}</td>
                      <td>
                        <Text value={one.task} />
                      </td>
                      <td>
                        {one.group === null ? (
                          <span className="none">none</span>
                        ) : (
                          <button type="button" className="plain" onClick={() => onGroup({ group: one.group! })}>
                            <Text value={one.group} />
                          </button>
                        )}
                      </td>
                      <td className="right number">{one.seed ?? 'several'}</td>
                      <td className="right number">{one.episodes}</td>
                      <td className="right number">{one.rewarded}</td>
                      <td className="right">
                        <Score value={one.reward} />
                      </td>
                      <td className="right">
                        <Score value={one.reward_std} />
                      </td>
                      <td>
                        {one.zero_spread === true ? (
                          <span className="badge warn">
                            <span aria-hidden="true">▲</span>no spread, at {score(one.reward)}
                          </span>
                        ) : (
                          <span className="number">
                            {score(one.reward_min)} to {score(one.reward_max)}
                          </span>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )
      }
    </Shown>
  );
}

function List({ batch, search, change }: { batch: string; search: EpisodesSearch; change: (more: Change) => void }) {
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
        <label>
          State{' '}
          <select
            value={state ?? ''}
            onChange={(event) => change({ state: (event.currentTarget.value || undefined) as EpisodesSearch['state'] })}
          >
            <option value="">all</option>
            <option value="open">open</option>
            <option value="ended">ended</option>
          </select>
        </label>
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
            <Empty title="No episode is like this" />
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
  { key: 'turns', title: 'Turns', width: '4rem', right: true, cell: ({ numTurns }) => count(numTurns) },
  {
    key: 'errors',
    title: 'Format errors',
    width: '7rem',
    right: true,
    cell: ({ formatErrors }) => count(formatErrors),
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
