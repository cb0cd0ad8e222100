import { formatCount, formatUsd } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { words } from '../parts/format.js';
import { JsonView } from '../parts/json-view.js';
import { Shown } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { Facts, RunLink } from '../parts/values.js';

type Setup = Answer<'setup'>;

export function SetupTab({ id }: { id: string }) {
  const setup = useQuery(asked('setup', { id }, {}));
  return (
    <Shown of={setup} what="the setup">
      {(data) => (
        <div className="columns">
          <FirstPrompt messages={data.firstPrompt} />
          <section>
            <h2>Setup</h2>
            <SetupFacts of={data} />
            <h2>Same setup</h2>
            {data.sameSetup.length === 0 ? (
              <p className="muted">No other run has this set-up.</p>
            ) : (
              <p className="ids">
                {data.sameSetup.map((run) => (
                  <RunLink key={run} id={run} />
                ))}
              </p>
            )}
            <Folded title="Task, as submitted" label="task" value={data.task.spec} />
            <Folded title="Agent" label="agent" value={data.agent.config} />
            {data.model.config !== null && <Folded title="Model and prices" label="model" value={data.model.config} />}
          </section>
        </div>
      )}
    </Shown>
  );
}

const FirstPrompt = ({ messages }: { messages: Setup['firstPrompt'] }) => (
  <section>
    <h2>First prompt</h2>
    {messages === null ? (
      <p className="muted">The first prompt cannot be rebuilt.</p>
    ) : (
      messages.map(({ role, content }, i) => (
        <div key={i} className="message">
          <h3>
            <Text value={role} />
          </h3>
          <TextBlock source={content} kind="text" lines={80} label={`${role} message ${i + 1}`} className="thought" />
        </div>
      ))
    )}
  </section>
);

function SetupFacts({ of }: { of: Setup }) {
  const { task, agent, model, sampling, limits } = of;
  // The others read as all options do: by their names, with 0 for none.
  const { maxSteps, wallSeconds, costLimitUsd, gpus, ...others } = limits;
  return (
    <dl className="facts-table">
      <Facts
        of={{
          task: (
            <>
              <Text value={task.id} /> contract {task.contract}
            </>
          ),
          'task hash': <Hash value={task.hash} />,
          agent: <Text value={agent.name} />,
          'agent hash': <Hash value={agent.hash} />,
          model: <Text value={`${model.provider}: ${model.providerModel}`} />,
          sampling:
            Object.entries(sampling)
              .map(([name, value]) => `${name} ${value}`)
              .join(', ') || "the provider's",
          steps: maxSteps === 0 ? 'not recorded' : maxSteps,
          time: wallSeconds === 0 ? 'no limit' : `${wallSeconds} s`,
          'cost limit': costLimitUsd === null ? 'none' : formatUsd(costLimitUsd),
          ...Object.fromEntries(
            Object.entries(others).map(([option, value]) => [words(option), value === 0 ? 'none' : formatCount(value)]),
          ),
          GPUs: gpus,
          seed: of.seed,
          attempt: of.attempt,
          data: of.sample ? 'sample' : 'real',
          memory: of.memory ? "may use the task's" : 'none',
          image: <Hash value={of.imageDigest} />,
          'evaluator image': <Hash value={of.evaluatorImageDigest} />,
          harness: <Text value={of.harnessVersion} />,
        }}
      />
    </dl>
  );
}

const Hash = ({ value }: { value: string | null }) => (
  <code>
    <Text value={value ?? '–'} />
  </code>
);

const Folded = ({ title, label, value }: { title: string; label: string; value: unknown }) => (
  <details>
    <summary>{title}</summary>
    <JsonView value={value} label={label} />
  </details>
);
