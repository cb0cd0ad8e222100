import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Answer } from '../../api/index.js';
import { act } from '../data/ask.js';
import { document as asked } from '../data/queries.js';
import { plural } from '../parts/format.js';
import { Failure } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';

type Turn = NonNullable<Answer<'turn'>['turn']>;

/** While no turn is open, how often one is looked for. */
const LOOK_MS = 700;

/** A person plays this run: what they are asked, and what they answer. */
export function PlayPanel({ id }: { id: string }) {
  const me = useQuery(asked('me', {}, {}));
  const state = useQuery({
    ...asked('turn', { id }, {}),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.turn == null && data?.status !== 'ended' ? LOOK_MS : 5_000),
  });
  if (state.error !== null && state.data === undefined) return <Failure error={state.error} />;
  if (state.data === undefined || state.data.status === 'ended') return null;
  const { turn, format } = state.data;
  const mayPlay = me.data?.role === 'operator' && !me.data.readOnly;
  return (
    <section className="play" aria-label="Your turn">
      {turn === null ? (
        <p role="status">The last reply is being played…</p>
      ) : (
        <TurnForm key={`${turn.step} ${turn.try}`} id={id} turn={turn} format={format} mayPlay={mayPlay} />
      )}
    </section>
  );
}

function TurnForm({ id, turn, format, mayPlay }: { id: string; turn: Turn; format: string; mayPlay: boolean }) {
  const queries = useQueryClient();
  const [all, setAll] = useState(false);
  const [raw, setRaw] = useState(false);
  const [thought, setThought] = useState('');
  const [action, setAction] = useState('');
  const [sending, setSending] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const [key] = useState(() => crypto.randomUUID());
  // Their own replies are the assistant's messages: what came after the last one is new.
  const after = turn.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const shown = all ? turn.messages : turn.messages.slice(after);
  const send = (text: string): void => {
    if (text.trim() === '' || sending) return;
    setSending(true);
    setFailed(null);
    act(`/runs/${encodeURIComponent(id)}/turn`, { step: turn.step, try: turn.try, thought, action: text, raw }, key)
      .then(() => queries.invalidateQueries())
      .catch((error: unknown) => {
        setFailed(error);
        setSending(false);
      });
  };
  return (
    <>
      <h2>
        Step {turn.step}
        {turn.try > 0 && `, reply ${turn.try + 1}`}: your turn
      </h2>
      {!all && after > 0 && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          show {plural(after, 'earlier message')}
        </button>
      )}
      {shown.map(({ role, content }, i) => (
        <TextBlock
          key={`${all} ${i}`}
          source={content}
          kind="text"
          lines={40}
          label={`${role} message`}
          className="action"
        />
      ))}
      {!mayPlay ? (
        <p className="muted">Only an operator may play.</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send(action);
          }}
        >
          {!raw && (
            <label>
              Thought <textarea rows={2} value={thought} onChange={(event) => setThought(event.currentTarget.value)} />
            </label>
          )}
          <label>
            {raw ? 'Reply' : 'Command'}{' '}
            <textarea
              rows={4}
              autoFocus
              spellCheck={false}
              value={action}
              onChange={(event) => setAction(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                send(action);
              }}
            />
          </label>
          <p className="row">
            <button type="submit" disabled={sending || action.trim() === ''} title="Ctrl-Enter">
              {sending ? 'sending…' : 'Send'}
            </button>
            {!raw && (
              <>
                <button type="button" disabled={sending} onClick={() => send('validate')}>
                  Validate
                </button>
                <button type="button" disabled={sending} onClick={() => send('submit')}>
                  Submit and end
                </button>
              </>
            )}
            <label>
              <input type="checkbox" checked={raw} onChange={(event) => setRaw(event.currentTarget.checked)} /> send as
              typed
            </label>
          </p>
          {raw && (
            <p className="muted">
              <Text value={format} />
            </p>
          )}
          {failed !== null && <Failure error={failed} />}
        </form>
      )}
    </>
  );
}
