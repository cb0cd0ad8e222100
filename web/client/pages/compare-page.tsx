import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, document as asked } from '../data/queries.js';
import { plural } from '../../../domain/text/format.js';
import { Page } from '../parts/page.js';
import { Empty, Failure, Loading } from '../parts/states.js';
import { useTitle } from '../parts/title.js';
import { skeletonOf } from '../run/skeleton.js';
import { warmThread } from '../workers/off-thread.js';
import { ComparePairs } from './compare-pairs.js';
import { Differences, FinalFiles, Overlaid } from './compare-runs.js';
import { CompareSteps } from './compare-steps.js';

/** Where did they part, and does that explain the score? */
export function ComparePage() {
  const { runs = [], batches, models, tasks, step } = useSearch({ from: '/compare' });
  useTitle('Compare');
  const sides = batches ?? models;
  if (runs.length === 0 && sides?.length === 2)
    return (
      <Page title={`Compare two ${batches === undefined ? 'models' : 'batches'}`}>
        <ComparePairs
          request={{ ...(batches === undefined ? { models: sides } : { batches: sides }), ...(tasks && { tasks }) }}
        />
      </Page>
    );
  if (runs.length < 2)
    return (
      <Page title="Compare">
        <Chooser ids={runs} />
      </Page>
    );
  return (
    <Page title={`Compare ${plural(runs.length, 'run')}`}>
      <CompareRuns ids={runs} step={step} />
    </Page>
  );
}

function CompareRuns({ ids, step }: { ids: readonly string[]; step: number | undefined }) {
  const heads = useQueries({ queries: ids.map((id) => asked('run', { id }, {})) });
  const setups = useQueries({ queries: ids.map((id) => asked('setup', { id }, {})) });
  // What the steps take is asked for with the heads, not after them.
  useState(() => {
    warmThread();
    for (const id of ids.slice(0, 2)) void client.prefetchQuery(skeletonOf(id));
  });
  const failed = heads.find(({ error, data }) => error !== null && data === undefined);
  if (failed !== undefined) return <Failure error={failed.error} retry={() => void failed.refetch()} />;
  const runs = heads.flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (runs.length < ids.length) return <Loading what="runs" rows={12} />;
  return (
    <>
      <Differences runs={runs} setups={setups.flatMap(({ data }) => (data === undefined ? [] : [data]))} />
      <Overlaid runs={runs} />
      <FinalFiles runs={runs} />
      <CompareSteps runs={runs} step={step} />
    </>
  );
}

function Chooser({ ids }: { ids: readonly string[] }) {
  const navigate = useNavigate({ from: '/compare' });
  return (
    <Empty title="Choose two runs">
      <p>
        Select two to eight in <Link to="/runs">Runs</Link> (with <kbd>x</kbd> or their boxes), then “Compare”. Or name
        them:
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
      <Sides what="batches" one="batch" />
      <Sides what="models" one="model" />
    </Empty>
  );
}

/** As many names as are offered. */
const OFFERED = 200;

function Sides({ what, one }: { what: 'batches' | 'models'; one: string }) {
  const navigate = useNavigate({ from: '/compare' });
  const batches = useQuery({ ...asked('batches', {}, { limit: OFFERED }), enabled: what === 'batches' });
  const facets = useQuery({ ...asked('runFacets', {}, {}), enabled: what === 'models' });
  const names =
    what === 'batches'
      ? (batches.data?.batches.map(({ name, batchId }) => name ?? batchId) ?? [])
      : (facets.data?.facets.model?.map(({ value }) => value) ?? []);
  return (
    <form
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
      <input name="a" aria-label={`First of two ${what}`} placeholder={`${one} A`} list={`known-${what}`} />
      <input name="b" aria-label={`Second of two ${what}`} placeholder={`${one} B`} list={`known-${what}`} />
      <datalist id={`known-${what}`}>
        {names.slice(0, OFFERED).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit">Compare {what}</button>
    </form>
  );
}
