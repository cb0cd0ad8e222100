import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ActionResult, Preview } from '../../api/index.js';
import { act, addressOf, AskError, send } from '../data/ask.js';
import { document as asked } from '../data/queries.js';
import { Checkbox, typed } from '../parts/fields.js';
import { Failure, Shown } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Dialog } from '../shell/dialog.js';

export type Action =
  | 'pause'
  | 'resume'
  | 'budget'
  | 'cancel'
  | 'retry'
  | 'fork'
  | 'label'
  | 'drain'
  | 'undrain'
  | 'remove';
type Of = 'batches' | 'runs' | 'hosts';
type Options = Record<string, string | number | boolean>;

const TITLES: Record<Action, string> = {
  pause: 'Pause',
  resume: 'Resume',
  budget: 'Raise the budget',
  cancel: 'Cancel',
  retry: 'Retry',
  fork: 'Fork',
  label: 'Label',
  drain: 'Drain',
  undrain: 'Undrain',
  remove: 'Remove',
};

interface Labels {
  note: string | null;
  tags: readonly string[];
}

export function Steering({
  of,
  id,
  actions,
  ...now
}: {
  of: Of;
  id: string;
  actions: readonly Action[];
  step?: number;
  labels?: Labels;
}) {
  const me = useQuery(asked('me', {}, {}));
  const [open, setOpen] = useState<Action | null>(null);
  if (me.data === undefined || me.data.role !== 'operator' || me.data.readOnly) return null;
  return (
    <span className="row steering">
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          className={action === 'cancel' || action === 'remove' ? 'danger' : undefined}
          onClick={() => setOpen(action)}
        >
          {TITLES[action]}
          {action !== 'pause' && '…'}
        </button>
      ))}
      {open !== null && <ActionDialog of={of} id={id} action={open} {...now} onClose={() => setOpen(null)} />}
    </span>
  );
}

const NOUNS: Record<Of, string> = { runs: 'run', batches: 'batch', hosts: 'host' };

/** What people have written on a batch or run. */
export const LabelsOf = ({ note, tags }: Labels) =>
  (note !== null || tags.length > 0) && (
    <p aria-label="Labels">
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
      {note !== null && <Text value={note} />}
    </p>
  );

interface ActionOf {
  of: Of;
  id: string;
  action: Action;
  step?: number;
  labels?: Labels;
}

const optionsOf = ({ action, step = 1, labels }: ActionOf): Options => {
  if (action === 'fork') return { step, attempts: 1 };
  if (action === 'label') return { note: labels?.note ?? '', tags: labels?.tags.join(' ') ?? '' };
  return action === 'retry' ? { all: false } : {};
};

function useAction(wanted: ActionOf) {
  const { of, id, action } = wanted;
  const queries = useQueryClient();
  const [options, setOptions] = useState<Options>(() => optionsOf(wanted));
  /** One key per click, so that a repeated request is done once. */
  const [key] = useState(() => crypto.randomUUID());
  const [doing, setDoing] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const [done, setDone] = useState<ActionResult | null>(null);
  const complete = action !== 'budget' || /^\d{1,9}(\.\d{1,10})?$/.test(String(options['usd'] ?? ''));
  const path = `/${of}/${encodeURIComponent(id)}/${action}`;
  const preview = useQuery({
    queryKey: ['preview', path, options] as const,
    queryFn: async ({ signal }) =>
      (await (await send(addressOf(`${path}/preview`, {}, options), { signal })).json()) as Preview,
    enabled: complete && done === null,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const go = async (tag: string): Promise<void> => {
    setDoing(true);
    setFailed(null);
    try {
      setDone(await act<ActionResult>(path, { tag, ...options }, key));
      await queries.invalidateQueries();
    } catch (error) {
      setFailed(error);
      // The state changed since the preview: refresh it.
      if (error instanceof AskError && error.status === 412) void preview.refetch();
    } finally {
      setDoing(false);
    }
  };
  return { options, setOptions, complete, preview, go, doing, failed, done };
}

function ActionDialog({ onClose, ...what }: ActionOf & { onClose: () => void }) {
  const { of, id, action } = what;
  const { options, setOptions, complete, preview, go, doing, failed, done } = useAction(what);
  const shown = preview.data;
  return (
    <Dialog title={`${TITLES[action]}: ${NOUNS[of]} ${id.slice(-8)}`} onClose={onClose}>
      {done !== null ? (
        <Done result={done} id={id} onClose={onClose} />
      ) : (
        <>
          <OptionFields action={action} options={options} setOptions={setOptions} />
          {complete ? (
            <Shown of={preview} what="what it would do" rows={3}>
              {(found) => <Effects of={found} />}
            </Shown>
          ) : (
            <p className="muted">Enter the new budget in US dollars.</p>
          )}
          {failed instanceof AskError && failed.status === 412 ? (
            <p className="warn" role="alert">
              The state has changed: the effects were recomputed.
            </p>
          ) : (
            failed !== null && <Failure error={failed} />
          )}
          <p className="row end">
            <button type="button" className="plain" onClick={onClose}>
              Do nothing
            </button>
            <button
              type="button"
              className={shown?.final === true ? 'danger' : 'primary'}
              disabled={shown === undefined || !shown.allowed || doing || preview.isFetching}
              onClick={() => shown !== undefined && void go(shown.tag)}
            >
              {doing ? '…' : TITLES[action]}
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}

const Effects = ({ of: { effects, final, allowed, refusal } }: { of: Preview }) => (
  <>
    <ul className="effects" aria-label="What it does">
      {effects.map(({ what, text }) => (
        <li key={what}>
          <Text value={text} />
        </li>
      ))}
    </ul>
    {final && <p className="warn">This cannot be undone.</p>}
    {!allowed && (
      <p className="warn">
        <Text value={refusal ?? 'It is not possible now.'} />
      </p>
    )}
  </>
);

function Done({
  result: { repeated, runs, batchId },
  id,
  onClose,
}: {
  result: ActionResult;
  id: string;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  return (
    <div role="status">
      <p>
        {repeated ? 'This was done already.' : 'Done.'} {runs.length > 0 && `${runs.length} runs are concerned.`}
      </p>
      <p className="row">
        {batchId !== null && batchId !== id && (
          <button
            type="button"
            onClick={() => {
              onClose();
              void navigate({ to: '/batches/$id', params: { id: batchId } });
            }}
          >
            Open the batch
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </div>
  );
}

function OptionFields({
  action,
  options,
  setOptions,
}: {
  action: Action;
  options: Options;
  setOptions: (options: Options) => void;
}) {
  const set = (name: string, value: Options[string] | undefined): void => {
    const { [name]: _, ...rest } = options;
    setOptions(value === undefined ? rest : { ...rest, [name]: value });
  };
  const natural = (name: string, most?: number) => (
    <input
      type="number"
      min={1}
      max={most}
      value={Number(options[name])}
      onChange={(event) => set(name, Math.max(1, event.currentTarget.valueAsNumber || 1))}
    />
  );
  if (action === 'budget')
    return (
      <label className="row">
        New budget, ${' '}
        <input
          inputMode="decimal"
          value={String(options['usd'] ?? '')}
          onChange={(event) => set('usd', event.currentTarget.value)}
          autoFocus
        />
      </label>
    );
  if (action === 'retry')
    return (
      <Checkbox className="row" checked={options['all'] === true} onChange={(all) => set('all', all)}>
        also runs with a configuration error
      </Checkbox>
    );
  if (action === 'label') return <LabelFields options={options} set={set} />;
  if (action !== 'fork') return null;
  return (
    <div className="row">
      <label>Last step to copy {natural('step')}</label>
      <label>Attempts {natural('attempts', 1000)}</label>
      <label>
        Model{' '}
        <input
          value={String(options['model'] ?? '')}
          placeholder="the same"
          onChange={(event) => set('model', typed(event))}
        />
      </label>
      <label>
        Steps at most{' '}
        <input
          type="number"
          min={1}
          value={options['maxSteps'] === undefined ? '' : Number(options['maxSteps'])}
          placeholder="the same"
          onChange={({ currentTarget: { valueAsNumber: most } }) =>
            set('maxSteps', Number.isNaN(most) ? undefined : most)
          }
        />
      </label>
    </div>
  );
}

const LabelFields = ({ options, set }: { options: Options; set: (name: string, value: string) => void }) => (
  <>
    <label className="row">
      Tags{' '}
      <input
        value={String(options['tags'] ?? '')}
        placeholder="baseline paper:v2"
        onChange={(event) => set('tags', event.currentTarget.value)}
        autoFocus
      />
    </label>
    <label className="row">
      Note <input value={String(options['note'] ?? '')} onChange={(event) => set('note', event.currentTarget.value)} />
    </label>
  </>
);
