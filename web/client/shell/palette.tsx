import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useId, useState } from 'react';
import { document as asked } from '../data/queries.js';
import { plainText, Text } from '../parts/text.js';
import { shortId } from '../parts/values.js';
import { Dialog } from './dialog.js';

interface Place {
  key: string;
  kind: string;
  name: string;
  more: string;
  go: () => void;
}

type Pages = readonly (readonly [string, string, string])[];

/** By names or ids that contain a text; `settled` once all are loaded. */
function usePlaces(text: string, pages: Pages): { places: Place[]; settled: boolean } {
  const navigate = useNavigate();
  const part = text === '' ? {} : { text };
  const { data: batches, isPending: noBatches } = useQuery({
    ...asked('batches', {}, { limit: 8, ...part }),
    staleTime: 2_000,
  });
  const { data: runs, isPending: noRuns } = useQuery({
    ...asked('runs', {}, { limit: 12, ...part }),
    enabled: text.length > 1,
  });
  const places = [
    ...pages
      .filter(([, name]) => name.toLowerCase().includes(text.toLowerCase()))
      .map(([to, name]) => ({ key: to, kind: 'page', name, more: '', go: () => void navigate({ to }) })),
    ...(batches?.batches ?? []).map(({ batchId, name, status }) => ({
      key: batchId,
      kind: 'batch',
      name: name ?? shortId(batchId),
      more: status,
      go: () => void navigate({ to: '/batches/$id', params: { id: batchId } }),
    })),
    ...(runs?.runs ?? []).map(({ runId, model, task, attempt }) => ({
      key: runId,
      kind: 'run',
      name: `${model} · ${task} · attempt ${attempt}`,
      more: shortId(runId),
      go: () => void navigate({ to: '/runs/$id', params: { id: runId } }),
    })),
  ];
  return { places, settled: !noBatches && (text.length <= 1 || !noRuns) };
}

export function Palette({ onClose, pages }: { onClose: () => void; pages: Pages }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const text = useDeferredValue(typed.trim());
  // Enter came before the results: take the first once they are loaded.
  const [entered, setEntered] = useState(false);
  const found = usePlaces(text, pages);
  const { places } = found;
  const settled = typed.trim() === text && found.settled;
  const chosen = Math.min(at, places.length - 1);
  const take = (place: Place | undefined): void => {
    if (place === undefined) return;
    onClose();
    place.go();
  };
  useEffect(() => {
    if (!entered || !settled) return;
    setEntered(false);
    take(places[chosen]);
  });
  return (
    <Dialog title="Go to" onClose={onClose} wide>
      <input
        type="search"
        autoFocus
        placeholder="a batch, a run, a page"
        aria-label="Go to a batch, run or page"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={places[chosen] === undefined ? undefined : `${list}-${chosen}`}
        value={typed}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
          setEntered(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, places.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
          else if (event.key === 'Enter') setEntered(true);
          else return;
          event.preventDefault();
        }}
      />
      <ul id={list} role="listbox" aria-label="Places" className="places">
        {places.map((place, i) => (
          <li
            key={place.key}
            id={`${list}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onClick={() => take(place)}
            title={plainText(place.name)}
          >
            <span className="kind">{place.kind}</span>
            <Text value={place.name} />
            <span className="muted">{place.more}</span>
          </li>
        ))}
      </ul>
      {places.length === 0 && <p className="muted">No name or id matches.</p>}
    </Dialog>
  );
}
