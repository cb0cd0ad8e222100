import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { document as asked } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import { count, plural } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { plainText, TextBlock } from '../parts/text.js';
import { Badge } from '../parts/values.js';

const PROOFS = {
  equal: ['good', '✓', 'proved: the rebuilt request has the hash that was stored when it was sent'],
  differs: ['bad', '✕', 'the rebuilt request has another hash than what was sent'],
  not_recorded: ['quiet', '○', 'no hash of the request was stored'],
  not_rebuildable: ['warn', '▲', 'the request cannot be rebuilt from what is stored'],
} as const;

/** What the model was given before a step, and what of it is new. */
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
        {({ messages, proof, sameAsBefore, tokens, tools }) => {
          const [tone, mark, told] = PROOFS[proof];
          return (
            <>
              <p>
                <Badge tone={tone} mark={mark}>
                  {told}
                </Badge>{' '}
                <span className="muted">
                  {plural(messages.length, 'message')}, about {count(tokens)} tokens
                  {sameAsBefore !== null && `; the first ${count(sameAsBefore)} are as in the step before`}
                  {tools.length > 0 && `; tools: ${plainText(tools.join(', '))}`}
                </span>
              </p>
              {messages.map(({ role, content, toolCalls }, i) => {
                const known = sameAsBefore !== null && i < sameAsBefore;
                return (
                  <details key={`${step} ${i}`} className={`message ${role}`} open={!known}>
                    <summary>
                      {i + 1}. {role} <span className="muted">{known ? 'as before' : 'new'}</span>
                    </summary>
                    <TextBlock
                      source={content}
                      kind="text"
                      lines={80}
                      label={`message ${i + 1}, ${role}`}
                      className={role === 'user' ? 'observation' : 'thought'}
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
              })}
            </>
          );
        }}
      </Shown>
    </>
  );
}
