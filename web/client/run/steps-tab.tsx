import { useSearch } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { type Change, useChange } from '../address/change.js';
import type { Skeleton } from '../live/fold.js';
import { Choice, typed } from '../parts/fields.js';
import { formatCount, plural } from '../../../domain/text/format.js';
import { Empty } from '../parts/states.js';
import { plainText } from '../parts/text.js';
import { useKeys } from '../keys/keys.js';
import { type Found, useFind } from './text-matches.js';
import { isError, isValidate, seriesOf } from './skeleton.js';
import { StepList } from './step-list.js';

export function StepsTab({ skeleton, live }: { skeleton: Skeleton; live: boolean }) {
  const { show = 'all', category, density = 'reading', step, find } = useSearch({ from: '/runs/$id' });
  const change = useChange('/runs/$id');
  const { columns } = skeleton;
  const places = useMemo(() => {
    const found: number[] = [];
    for (let i = 0; i < columns.step.length; i++)
      if (
        (show === 'validates' ? isValidate(columns, i) : show === 'errors' ? isError(columns, i) : true) &&
        (category === undefined || columns.category[i] === category)
      )
        found.push(i);
    return found;
  }, [columns, show, category]);
  const steps = useMemo(() => places.map((place) => columns.step[place]!), [places, columns]);
  const found = useFind(skeleton.runId, find);
  return (
    <div className="steps-tab">
      <StepsToolbar columns={columns} shown={places.length} found={found} />
      {columns.step.length === 0 ? (
        <Empty title={live ? 'No step yet' : 'This run has no steps'}>
          {live && <p>The first step appears when the model has replied.</p>}
        </Empty>
      ) : (
        <StepList
          key={`${density} ${show}`}
          thoughts={show !== 'no-thoughts'}
          {...{ skeleton, steps, places, density, live, step, find, found, change }}
        />
      )}
    </div>
  );
}

function StepsToolbar({ columns, shown, found }: { columns: Skeleton['columns']; shown: number; found: Found }) {
  const { show = 'all', category, density = 'reading', find } = useSearch({ from: '/runs/$id' });
  const change = useChange('/runs/$id');
  const categories = useMemo(() => [...new Set(columns.category)].sort(), [columns]);
  const total = columns.step.length;
  return (
    <div className="toolbar" role="group" aria-label="Which steps, and how">
      <Choice
        label="Show"
        value={show}
        options={[
          ['all', 'all'],
          ['no-thoughts', 'no thoughts'],
          ['validates', 'only validates'],
          ['errors', 'only errors'],
        ]}
        onChange={(one) => change({ show: one === 'all' ? undefined : one })}
      />
      <Choice
        label="Category"
        value={category}
        options={[[undefined, 'all'], ...categories.map((name) => [name, plainText(name)] as const)]}
        onChange={(one) => change({ category: one })}
      />
      <Choice
        label="As"
        value={density}
        options={[
          ['list', 'list'],
          ['reading', 'reading'],
          ['full', 'full'],
        ]}
        onChange={(one) => change({ density: one === 'reading' ? undefined : one })}
      />
      <span className="muted">
        {shown === total ? plural(shown, 'step') : `${formatCount(shown)} of ${plural(total, 'step')}`}
      </span>
      <FindBox find={find} found={found} change={change} />
      <Legend categories={categories} />
    </div>
  );
}

const Legend = ({ categories }: { categories: readonly string[] }) => (
  <span className="legend" aria-hidden="true">
    {categories.map((name) => (
      <span key={name}>
        <i className={`swatch series-${seriesOf(name)}`} />
        {name}
      </span>
    ))}
  </span>
);

/** Finds in all steps; the browser's own search covers only the screen. */
function FindBox({ find, found, change }: { find: string | undefined; found: Found; change: Change<'/runs/$id'> }) {
  const box = useRef<HTMLInputElement>(null);
  useKeys('Find', [
    {
      keys: 'Ctrl-F',
      does: 'find in all steps; twice: find of the browser',
      run: () => {
        if (document.activeElement === box.current) return false;
        box.current?.focus();
        box.current?.select();
        return true;
      },
    },
  ]);
  const error = found.error instanceof Error ? found.error.message : null;
  return (
    <span className="find row">
      <input
        ref={box}
        type="search"
        data-search
        key={find ?? ''}
        defaultValue={find}
        maxLength={500}
        spellCheck={false}
        placeholder="find in all steps"
        aria-label="Find in all steps; Enter searches"
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.currentTarget.blur();
          change({ find: typed(event) });
        }}
      />
      {found.state !== 'none' && (
        <span className="muted" role="status">
          {error === null ? (
            `${plural(found.hits, 'hit')} in ${plural(found.steps.length, 'step')}${found.state === 'running' ? ' so far' : ''}`
          ) : (
            <span className="bad">{plainText(error)}</span>
          )}
        </span>
      )}
    </span>
  );
}
