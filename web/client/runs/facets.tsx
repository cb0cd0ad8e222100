import { formatCount, formatScore } from '../../../domain/text/format.js';
import { useState } from 'react';
import type { Answer } from '../../api/index.js';
import type { RunFacet } from '../../../domain/requests/run-filter.js';
import type { Change } from '../address/change.js';
import { FACETS, RANGES, type RunsSearch } from '../address/pages.js';
import { words } from '../parts/format.js';
import { plainText, Text } from '../parts/text.js';

const TITLES: Record<RunFacet, string> = {
  status: 'Status',
  outcome: 'Outcome',
  endReason: 'End',
  model: 'Model',
  task: 'Task',
  batch: 'Batch',
  flag: 'Integrity flags',
  agent: 'Agent',
  kind: 'Kind of model',
  origin: 'Origin',
  isolation: 'Isolation',
  backend: 'Backend',
  host: 'Host',
  profile: 'Profile',
  sample: 'Sample data',
};
const WITHOUT: Partial<Record<RunFacet, string>> = {
  host: 'none yet',
  profile: 'own budget',
  endReason: 'not ended',
  outcome: 'not known yet',
  flag: 'no flag',
  isolation: 'none yet',
};
const FIRST = 6;
/** If they have more than one value. */
const OPEN: readonly RunFacet[] = ['status', 'outcome', 'model', 'task', 'flag'];

export function Facets({
  facets,
  search,
  change,
}: {
  facets: Answer<'runFacets'> | undefined;
  search: RunsSearch;
  change: Change<'/runs'>;
}) {
  const chosen = Object.keys(search).filter((name) => name !== 'sort' && name !== 'columns').length;
  return (
    <div className="facets">
      <div className="facets-head">
        <h2>Filters</h2>
        {chosen > 0 && (
          <button
            type="button"
            className="plain"
            onClick={() =>
              change(
                Object.fromEntries(
                  Object.keys(search).flatMap((name) =>
                    name === 'sort' || name === 'columns' ? [] : [[name, undefined]],
                  ),
                ),
              )
            }
          >
            clear all
          </button>
        )}
      </div>
      {FACETS.map((facet) => (
        <Facet
          key={facet}
          facet={facet}
          values={facets?.facets[facet] ?? []}
          chosen={search[facet] ?? []}
          change={change}
        />
      ))}
      {RANGES.map((range) => (
        <Range key={range} range={range} bounds={facets?.ranges[range] ?? null} search={search} change={change} />
      ))}
      <fieldset className="range">
        <legend>Created</legend>
        {(['since', 'until'] as const).map((end) => (
          <input
            key={end}
            type="date"
            aria-label={`Created ${end}`}
            value={search[end]?.slice(0, 10) ?? ''}
            onChange={(event) =>
              change({
                [end]: event.currentTarget.value === '' ? undefined : `${event.currentTarget.value}T00:00:00.000Z`,
              })
            }
          />
        ))}
      </fieldset>
    </div>
  );
}

function Facet({
  facet,
  values,
  chosen,
  change,
}: {
  facet: RunFacet;
  values: readonly { value: string; runs: number }[];
  chosen: readonly string[];
  change: Change<'/runs'>;
}) {
  const [all, setAll] = useState(false);
  const [part, setPart] = useState('');
  // Chosen values stay in the list even without runs.
  const listed = [
    ...values,
    ...chosen.filter((one) => !values.some(({ value }) => value === one)).map((value) => ({ value, runs: 0 })),
  ];
  if (listed.length < 2 && chosen.length === 0) return null;
  const found = part === '' ? listed : listed.filter(({ value }) => value.toLowerCase().includes(part.toLowerCase()));
  const shown = all ? found.slice(0, 200) : found.filter(({ value }, i) => i < FIRST || chosen.includes(value));
  return (
    <details className="facet" open={OPEN.includes(facet) || chosen.length > 0}>
      <summary>
        {TITLES[facet]}
        {chosen.length > 0 && <span className="chosen">{chosen.length}</span>}
      </summary>
      {chosen.length > 0 && (
        <button type="button" className="plain" onClick={() => change({ [facet]: undefined })}>
          clear
        </button>
      )}
      {all && listed.length > 12 && (
        <input
          type="search"
          value={part}
          placeholder="part of a name"
          aria-label={`Find in ${TITLES[facet]}`}
          onChange={(event) => setPart(event.currentTarget.value)}
        />
      )}
      <ul>
        {shown.map(({ value, runs }) => {
          const name = value === '' ? (WITHOUT[facet] ?? 'none') : value;
          return (
            <li key={value}>
              <label title={plainText(name)}>
                <input
                  type="checkbox"
                  checked={chosen.includes(value)}
                  onChange={({ currentTarget: { checked } }) => {
                    const next = checked ? [...chosen, value] : chosen.filter((one) => one !== value);
                    change({ [facet]: next.length === 0 ? undefined : next });
                  }}
                />
                <span className="name">
                  {value === '' || facet === 'batch' || facet === 'model' || facet === 'task' || facet === 'host' ? (
                    <Text value={name} />
                  ) : (
                    words(name)
                  )}
                </span>
                <span className="count">{formatCount(runs)}</span>
              </label>
            </li>
          );
        })}
      </ul>
      {found.length > shown.length && !all && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          {found.length - shown.length} more
        </button>
      )}
      {all && found.length > 200 && (
        <p className="muted">200 of {formatCount(found.length)}: type a part of the name</p>
      )}
    </details>
  );
}

const UNITS: Record<(typeof RANGES)[number], string> = {
  score: 'Best score',
  steps: 'Steps',
  cost: 'Cost, $',
  tokens: 'Tokens',
  duration: 'Duration, s',
};

function Range({
  range,
  bounds,
  search,
  change,
}: {
  range: (typeof RANGES)[number];
  bounds: { min: number; max: number } | null;
  search: RunsSearch;
  change: Change<'/runs'>;
}) {
  const names = { min: `${range}Min`, max: `${range}Max` } as const;
  return (
    <fieldset className="range">
      <legend>{UNITS[range]}</legend>
      {(['min', 'max'] as const).map((end) => {
        const name = names[end];
        const value = search[name as keyof RunsSearch] as number | undefined;
        return (
          <input
            // Applied on blur or Enter.
            key={`${end} ${value ?? ''}`}
            type="number"
            step="any"
            aria-label={`${UNITS[range]}, ${end === 'min' ? 'at least' : 'at most'}`}
            placeholder={bounds === null ? end : formatScore(bounds[end])}
            defaultValue={value}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.currentTarget.blur();
            }}
            onBlur={(event) => {
              const typed = event.currentTarget.value;
              const next = typed === '' ? undefined : Number(typed);
              if (next !== value) change({ [name]: next });
            }}
          />
        );
      })}
    </fieldset>
  );
}
