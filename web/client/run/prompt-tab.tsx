import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import { formatCount, plural } from '../../../domain/text/format.js';
import { Empty, Shown } from '../parts/states.js';
import { plainText, TextBlock } from '../parts/text.js';
import { Badge, RunLink } from '../parts/values.js';

type Asked = Answer<'prompt'>;
type Message = Asked['messages'][number];

const PROOFS = {
  equal: ['good', '✓', 'proved: the rebuilt request has the hash that was stored when it was sent'],
  different: ['bad', '✕', 'the rebuilt request has another hash than what was sent'],
  none: ['quiet', '○', 'no hash of the request was stored'],
} as const;
const SOURCES: Partial<Record<Asked['source'], string>> = {
  recorded: 'as it was recorded',
  partial: 'the record lacks its status lines',
};

/** One turn that differs from what was sent decides for all. */
const proofOf = (turns: Asked['turns']): keyof typeof PROOFS =>
  (['different', 'equal', 'none'] as const).find((proof) => turns.some((turn) => turn.proof === proof)) ?? 'none';

export function PromptTab({ id, skeleton }: { id: string; skeleton: Skeleton }) {
  const search = useSearch({ from: '/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const { step: steps } = skeleton.columns;
  const step = search.step ?? steps[0];
  const go = (to: number): void =>
    void navigate({
      search: (now) => ({ ...now, step: Math.max(steps[0] ?? 1, Math.min(steps.at(-1) ?? 1, to)) }),
      replace: true,
    });
  const prompt = useQuery({ ...asked('prompt', { id, step: String(step ?? 1) }, {}), enabled: step !== undefined });
  useKeys('Prompt', [
    { keys: 'l', does: 'next step', run: () => go((step ?? 0) + 1) },
    { keys: 'h', does: 'step before', run: () => go((step ?? 2) - 1) },
  ]);
  if (step === undefined) return <Empty title="No step yet" />;
  return (
    <>
      <div className="toolbar">
        <button type="button" onClick={() => go(step - 1)}>
          ‹ before
        </button>
        <label>
          Step{' '}
          <input
            type="number"
            min={steps[0]}
            max={steps.at(-1)}
            value={step}
            onChange={(event) => event.currentTarget.value !== '' && go(Number(event.currentTarget.value))}
          />
        </label>
        <button type="button" onClick={() => go(step + 1)}>
          next ›
        </button>
      </div>
      <Shown of={prompt} what="the prompt">
        {(asked) => <Prompt of={asked} step={step} />}
      </Shown>
    </>
  );
}

function Prompt({ of, step }: { of: Asked; step: number }) {
  const { messages, source, turns, requestedIn, runId, sameAsBefore, tokens, tools } = of;
  const [tone, mark, label] = PROOFS[proofOf(turns)];
  return (
    <>
      <p>
        <Badge tone={tone} mark={mark}>
          {label}
        </Badge>{' '}
        <span className="muted">
          {plural(messages.length, 'message')}, about {formatCount(tokens)} tokens
          {SOURCES[source] !== undefined && `, ${SOURCES[source]}`}
          {sameAsBefore !== null && `; the first ${formatCount(sameAsBefore)} are as in the step before`}
          {tools !== null && tools.length > 0 && `; tools: ${plainText(tools.map(({ name }) => name).join(', '))}`}
        </span>
        {requestedIn !== runId && (
          <>
            {' '}
            asked in <RunLink id={requestedIn} />
          </>
        )}
      </p>
      {messages.map((message, i) => (
        <PromptMessage
          key={`${step} ${i}`}
          message={message}
          number={i + 1}
          known={sameAsBefore !== null && i < sameAsBefore ? 'as before' : 'new'}
        />
      ))}
      {turns.at(-1)?.added.map((message, i) => (
        <PromptMessage
          key={`${step} again ${i}`}
          message={message}
          number={messages.length + i + 1}
          known="requested again"
        />
      ))}
    </>
  );
}

function PromptMessage({
  message: { role, content, toolCalls },
  number,
  known,
}: {
  message: Message;
  number: number;
  known: 'as before' | 'new' | 'requested again';
}) {
  return (
    <details className={`message ${role}`} open={known !== 'as before'}>
      <summary>
        {number}. {role} <span className="muted">{known}</span>
      </summary>
      <TextBlock
        source={content}
        kind="text"
        lines={80}
        label={`message ${number}, ${role}`}
        className={role === 'user' || role === 'tool' ? 'observation' : 'thought'}
      />
      {toolCalls?.map((call) => (
        <TextBlock
          key={call.id}
          source={`${call.name} ${call.arguments}`}
          kind="text"
          lines={40}
          label={`tool call ${call.name}`}
          className="action"
        />
      ))}
    </details>
  );
}
