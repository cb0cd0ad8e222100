import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ActionResult, Preview } from '../../api/index.js';
import { act, addressOf, AskError, send } from '../data/ask.js';
import { document as asked } from '../data/queries.js';
import { Failure, Loading } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Dialog } from '../shell/dialog.js';

export type Action = 'pause' | 'resume' | 'budget' | 'cancel' | 'retry' | 'fork' | 'drain' | 'undrain' | 'remove';
type Of = 'batches' | 'runs' | 'hosts';

const TITLES: Record<Action, string> = {
  pause: 'Pause',
  resume: 'Resume',
  budget: 'Raise the budget',
  cancel: 'Cancel',
  retry: 'Retry',
  fork: 'Fork',
  drain: 'Drain',
  undrain: 'Undrain',
  remove: 'Remove',
};

/** What an operator may do here; a viewer sees nothing of it. */
export function Steering({ of, id, actions, step }: { of: Of; id: string; actions: readonly Action[]; step?: number }) {
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
      {open !== null && (
        <ActionDialog
          of={of}
          id={id}
          action={open}
          {...(step === undefined ? {} : { step })}
          onClose={() => setOpen(null)}
        />
      )}
    </span>
  );
}

function ActionDialog({
  of,
  id,
  action,
  step,
  onClose,
}: {
  of: Of;
  id: string;
  action: Action;
  step?: number;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [options, setOptions] = useState<Record<string, string | number | boolean>>(() =>
    action === 'fork' ? { step: step ?? 1, attempts: 1 } : action === 'retry' ? { all: false } : {},
  );
  /** One click, one key: what is sent twice is done once. */
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
      // Things moved since they were counted: count again.
      if (error instanceof AskError && error.status === 412) void preview.refetch();
    } finally {
      setDoing(false);
    }
  };
  const shown = preview.data;
  return (
    <Dialog
      title={`${TITLES[action]}: ${of === 'runs' ? 'run' : of === 'batches' ? 'batch' : 'host'} ${id.slice(-8)}`}
      onClose={onClose}
    >
      {done !== null ? (
        <div role="status">
          <p>
            {done.repeated ? 'This was done already.' : 'Done.'}{' '}
            {done.runs.length > 0 && `${done.runs.length} runs are concerned.`}
          </p>
          <p className="row">
            {done.batchId !== null && done.batchId !== id && (
              <button
                type="button"
                onClick={() => {
                  onClose();
                  void navigate({ to: '/batches/$id', params: { id: done.batchId! } });
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
      ) : (
        <>
          <Options action={action} options={options} setOptions={setOptions} />
          {!complete ? (
            <p className="muted">Enter the new budget in US dollars.</p>
          ) : shown === undefined ? (
            preview.error !== null ? (
              <Failure error={preview.error} retry={() => void preview.refetch()} />
            ) : (
              <Loading what="what it would do" rows={3} />
            )
          ) : (
            <>
              <ul className="effects" aria-label="What it does">
                {shown.effects.map(({ what, text }) => (
                  <li key={what}>
                    <Text value={text} />
                  </li>
                ))}
              </ul>
              {shown.final && <p className="warn">This cannot be undone.</p>}
              {!shown.allowed && (
                <p className="warn">
                  <Text value={shown.refusal ?? 'It is not possible now.'} />
                </p>
              )}
            </>
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

function Options({
  action,
  options,
  setOptions,
}: {
  action: Action;
  options: Record<string, string | number | boolean>;
  setOptions: (options: Record<string, string | number | boolean>) => void;
}) {
  const set = (name: string, value: string | number | boolean | undefined): void => {
    const { [name]: _, ...rest } = options;
    setOptions(value === undefined ? rest : { ...rest, [name]: value });
  };
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
      <label className="row">
        <input
          type="checkbox"
          checked={options['all'] === true}
          onChange={(event) => set('all', event.currentTarget.checked)}
        />{' '}
        also runs with a configuration error
      </label>
    );
  if (action === 'fork')
    return (
      <div className="row">
        <label>
          Last step to copy{' '}
          <input
            type="number"
            min={1}
            value={Number(options['step'])}
            onChange={(event) => set('step', Math.max(1, event.currentTarget.valueAsNumber || 1))}
          />
        </label>
        <label>
          Attempts{' '}
          <input
            type="number"
            min={1}
            max={1000}
            value={Number(options['attempts'])}
            onChange={(event) => set('attempts', Math.max(1, event.currentTarget.valueAsNumber || 1))}
          />
        </label>
        <label>
          Model{' '}
          <input
            value={String(options['model'] ?? '')}
            placeholder="the same"
            onChange={(event) => set('model', event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
          />
        </label>
        <label>
          Steps at most{' '}
          <input
            type="number"
            min={1}
            value={options['maxSteps'] === undefined ? '' : Number(options['maxSteps'])}
            placeholder="the same"
            onChange={(event) =>
              set(
                'maxSteps',
                Number.isNaN(event.currentTarget.valueAsNumber) ? undefined : event.currentTarget.valueAsNumber,
              )
            }
          />
        </label>
      </div>
    );
  return null;
}
