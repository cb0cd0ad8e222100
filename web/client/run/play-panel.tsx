import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Answer } from '../../api/index.js';
import { act } from '../data/ask.js';
import { document as asked } from '../data/queries.js';
import { Checkbox } from '../parts/fields.js';
import { plural } from '../../../domain/text/format.js';
import { Failure } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';

type Turn = NonNullable<Answer<'turn'>['turn']>;

/** Polling interval while no turn is open. */
const LOOK_MS = 700;

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

interface TurnProps {
  id: string;
  turn: Turn;
  format: string;
  mayPlay: boolean;
}

function TurnForm({ id, turn, format, mayPlay }: TurnProps) {
  return (
    <>
      <h2>
        Step {turn.step}
        {turn.try > 0 && `, reply ${turn.try + 1}`}: your turn
      </h2>
      <Messages messages={turn.messages} />
      {mayPlay ? (
        <ReplyForm id={id} turn={turn} format={format} />
      ) : (
        <p className="muted">Only an operator may play.</p>
      )}
    </>
  );
}

/** The person's replies are the assistant's messages: those after the last one are new. */
function Messages({ messages }: { messages: Turn['messages'] }) {
  const [all, setAll] = useState(false);
  const after = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  return (
    <>
      {!all && after > 0 && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          show {plural(after, 'earlier message')}
        </button>
      )}
      {(all ? messages : messages.slice(after)).map(({ role, content }, i) => (
        <TextBlock
          key={`${all} ${i}`}
          source={content}
          kind="text"
          lines={40}
          label={`${role} message`}
          className="action"
        />
      ))}
    </>
  );
}

function useReply(id: string, turn: Turn) {
  const queries = useQueryClient();
  const [key] = useState(() => crypto.randomUUID());
  const [sending, setSending] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const send = (reply: { thought: string; action: string; raw: boolean }): void => {
    if (reply.action.trim() === '' || sending) return;
    setSending(true);
    setFailed(null);
    act(`/runs/${encodeURIComponent(id)}/turn`, { step: turn.step, try: turn.try, ...reply }, key)
      .then(() => queries.invalidateQueries())
      .catch((error: unknown) => {
        setFailed(error);
        setSending(false);
      });
  };
  return { send, sending, failed };
}

function ReplyForm({ id, turn, format }: Omit<TurnProps, 'mayPlay'>) {
  const [raw, setRaw] = useState(false);
  const [thought, setThought] = useState('');
  const [action, setAction] = useState('');
  const reply = useReply(id, turn);
  const send = (text: string): void => reply.send({ thought, action: text, raw });
  return (
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
        <button type="submit" disabled={reply.sending || action.trim() === ''} title="Ctrl-Enter">
          {reply.sending ? 'sending…' : 'Send'}
        </button>
        {!raw && (
          <>
            <button type="button" disabled={reply.sending} onClick={() => send('validate')}>
              Validate
            </button>
            <button type="button" disabled={reply.sending} onClick={() => send('submit')}>
              Submit and end
            </button>
          </>
        )}
        <Checkbox checked={raw} onChange={setRaw}>
          send as typed
        </Checkbox>
      </p>
      {raw && (
        <p className="muted">
          <Text value={format} />
        </p>
      )}
      {reply.failed !== null && <Failure error={reply.failed} />}
    </form>
  );
}
