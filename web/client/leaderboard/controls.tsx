import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Change } from '../address/change.js';
import { INCLUDED, type LeaderboardSearch } from '../address/pages.js';
import { document as asked } from '../data/queries.js';
import { Checkbox, Choice } from '../parts/fields.js';
import { plainText, Text } from '../parts/text.js';

interface Props {
  search: LeaderboardSearch;
  change: Change<'/leaderboard'>;
}

const INCLUDES = {
  suspect: 'suspect scores',
  scripted: 'scripted',
  local: 'without isolation',
  imported: 'imported',
} as const;

const FILTERS = ['mode', 'models', 'tasks', 'include', 'sample'] as const;

const withoutAll = (search: LeaderboardSearch): LeaderboardSearch =>
  Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));

/** What is compared, and how. */
export function Controls({ search, change }: Props) {
  const comparisons = useQuery(asked('comparisons', {}, {}));
  return (
    <div className="controls" role="group" aria-label="What is compared">
      {(comparisons.data?.comparisons.length ?? 0) > 0 && (
        <Choice
          label="Saved"
          value={search.view}
          options={[
            [undefined, '–'],
            ...comparisons.data!.comparisons.map(({ name }) => [name, plainText(name)] as const),
          ]}
          onChange={(view) => change({ ...withoutAll(search), view })}
        />
      )}
      <Choice
        label="By"
        value={search.metric ?? 'best-attempt'}
        options={[
          ['best-attempt', 'best attempt'],
          ['best-submission', 'best submission'],
        ]}
        onChange={(metric) => change({ metric: metric === 'best-attempt' ? undefined : metric })}
      />
      <Filters search={search} change={change} />
      {Object.keys(search).length > 0 && (
        <button type="button" className="plain" onClick={() => change(withoutAll(search))}>
          reset
        </button>
      )}
    </div>
  );
}

/** Which runs, models and tasks count; folded, unless something is chosen. */
function Filters({ search, change }: Props) {
  // What is saved is compared as it was saved.
  const frozen = search.view !== undefined;
  const chosen = FILTERS.filter((name) => search[name] !== undefined).length;
  return (
    <details className="filters" open={chosen > 0}>
      <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
      <div className="controls">
        <Choice
          label="Mode"
          value={search.mode ?? 'strict'}
          disabled={frozen}
          options={['strict', 'compat']}
          onChange={(mode) => change({ mode: mode === 'strict' ? undefined : mode })}
        />
        <Subjects search={search} change={change} />
        {INCLUDED.map((one) => (
          <Checkbox
            key={one}
            checked={search.include?.includes(one) === true}
            disabled={frozen}
            onChange={(checked) => {
              const next = INCLUDED.filter((other) => (other === one ? checked : search.include?.includes(other)));
              change({ include: next.length === 0 ? undefined : next });
            }}
          >
            {INCLUDES[one]}
          </Checkbox>
        ))}
        <Checkbox
          checked={search.sample === true}
          disabled={frozen}
          onChange={(checked) => change({ sample: checked ? true : undefined })}
        >
          sample data
        </Checkbox>
      </div>
    </details>
  );
}

/** Names of all models and tasks: counted once somebody chooses among them. */
function Subjects({ search, change }: Props) {
  const [choosing, setChoosing] = useState(search.models !== undefined || search.tasks !== undefined);
  const facets = useQuery({ ...asked('runFacets', {}, {}), enabled: choosing });
  const some = (name: 'models' | 'tasks', title: string, counted: readonly { value: string }[] = []) => {
    const values = counted.map(({ value }) => value);
    return (
      <details className="inline" onToggle={() => setChoosing(true)}>
        <summary>
          {title}: {search[name]?.length ?? 'all'}
        </summary>
        <div className="choice">
          {values.map((value) => (
            <Checkbox
              key={value}
              disabled={search.view !== undefined}
              checked={search[name]?.includes(value) ?? true}
              onChange={(checked) => {
                const now = search[name] ?? values;
                const next = checked ? [...now, value] : now.filter((one) => one !== value);
                change({ [name]: next.length === values.length || next.length === 0 ? undefined : next });
              }}
            >
              <Text value={value} />
            </Checkbox>
          ))}
        </div>
      </details>
    );
  };
  return (
    <>
      {some('models', 'Models', facets.data?.facets.model)}
      {some('tasks', 'Tasks', facets.data?.facets.task)}
    </>
  );
}
