import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { RUN_TABS, type RunTab } from '../address/pages.js';
import { client, document as asked, stepWindow } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import { useLive } from '../live/live.js';
import { Failure, Loading, Shown } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { useTitle } from '../parts/title.js';
import { neighbours } from '../runs/run-list.js';
import { CallsTab } from './calls-tab.js';
import { isStatic } from '../static/form.js';
import { EventsTab } from './events-tab.js';
import { FilesTab } from './files-tab.js';
import { PromptTab } from './prompt-tab.js';
import { RunHead } from './run-head.js';
import { ScoresTab } from './scores-tab.js';
import { SetupTab } from './setup-tab.js';
import { skeletonOf, useSkeleton } from './skeleton.js';
import { StepsTab } from './steps-tab.js';

const PlayPanel = lazy(() => import('./play-panel.js').then((panel) => ({ default: panel.PlayPanel })));

const TreeTab = lazy(() => import('../tree/tree-tab.js').then((tab) => ({ default: tab.TreeTab })));

const TITLES: Record<RunTab, string> = {
  steps: 'Steps',
  scores: 'Scores',
  prompt: 'Prompt',
  calls: 'Calls',
  files: 'Files',
  events: 'Events',
  setup: 'Setup',
  tree: 'Tree',
};

export function RunPage() {
  const { id: given } = useParams({ from: '/runs/$id' });
  const search = useSearch({ from: '/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const head = useQuery(asked('run', { id: given }, {}));
  // Load the first view's data with the head, not after it.
  useState(() => {
    void client.prefetchQuery(skeletonOf(given));
    if (search.tab === undefined || search.tab === 'steps')
      void client.prefetchQuery(stepWindow(given, search.step ?? 1));
  });
  const run = head.data?.run;
  const id = run?.runId ?? given;
  useTitle(run === undefined ? given : `${run.model} · ${run.task} · ${run.attempt}`);
  useLive(run === undefined || run.status === 'ended' ? null : `run:${run.runId}`);
  // Replace a short id by the whole one.
  useEffect(() => {
    if (run !== undefined && run.runId !== given)
      void navigate({ to: '/runs/$id', params: { id: run.runId }, search: (now) => now, replace: true });
  }, [run, given, navigate]);
  const near = neighbours(id);
  const other = (to: string | null | undefined): void => {
    if (to != null)
      void navigate({
        to: '/runs/$id',
        params: { id: to },
        search: ({ tab, show, density }) => ({
          ...(tab && { tab }),
          ...(show && { show }),
          ...(density && { density }),
        }),
      });
  };
  // A tree's attempt gets its steps only at the end, so show the tree.
  const isTree = head.data?.tree != null && head.data.tree.node === null;
  const tab = search.tab ?? (isTree && search.step === undefined ? 'tree' : 'steps');
  const tabs = RUN_TABS.filter((name) => name !== 'tree' || head.data?.tree != null || tab === 'tree');
  useKeys('Run', [
    { keys: 'L', does: 'next run of the list', run: () => other(near?.after) },
    { keys: 'H', does: 'run before of the list', run: () => other(near?.before) },
    {
      keys: 'p',
      does: 'present',
      run: () =>
        void navigate({
          to: '/runs/$id/present',
          params: { id },
          search: search.step === undefined ? {} : { step: search.step },
        }),
    },
    ...tabs.map((tab, i) => ({
      keys: String(i + 1),
      does: TITLES[tab],
      run: () => void navigate({ search: (now) => ({ ...now, tab }) }),
    })),
  ]);
  if (head.error !== null && head.data === undefined)
    return <Failure page={`Run ${id}`} error={head.error} retry={() => void head.refetch()} />;
  return (
    <div className={`run-page ${tab === 'steps' ? 'filled' : ''}`}>
      {head.data === undefined ? <Loading what="the run" rows={5} /> : <RunHead head={head.data} near={near} />}
      {!isStatic && run?.modelKind === 'human' && run.status !== 'ended' && (
        <Suspense fallback={null}>
          <PlayPanel id={run.runId} />
        </Suspense>
      )}
      <Tabs
        label="Parts of the run"
        tabs={tabs.map((name) => ({ name, title: TITLES[name] }))}
        chosen={tab}
        onChoose={(name) => void navigate({ search: (now) => ({ ...now, tab: name }) })}
        more={
          <Link to="/runs/$id/present" params={{ id }} search={search.step === undefined ? {} : { step: search.step }}>
            Present
          </Link>
        }
      >
        {run !== undefined && <Tab tab={tab} id={run.runId} ended={run.status === 'ended'} />}
      </Tabs>
    </div>
  );
}

function Tab({ tab, id, ended }: { tab: RunTab; id: string; ended: boolean }) {
  const skeleton = useSkeleton(id);
  if (tab === 'steps' || tab === 'scores' || tab === 'prompt')
    return (
      <Shown of={skeleton} what="steps" rows={12}>
        {(data) =>
          tab === 'steps' ? (
            <StepsTab skeleton={data} live={!ended} />
          ) : tab === 'scores' ? (
            <ScoresTab id={id} skeleton={data} />
          ) : (
            <PromptTab id={id} skeleton={data} />
          )
        }
      </Shown>
    );
  if (tab === 'calls') return <CallsTab id={id} />;
  if (tab === 'files') return <FilesTab id={id} />;
  if (tab === 'events') return <EventsTab id={id} />;
  if (tab === 'tree')
    return (
      <Suspense fallback={<Loading what="the tree" rows={12} />}>
        <TreeTab id={id} />
      </Suspense>
    );
  return <SetupTab id={id} />;
}
