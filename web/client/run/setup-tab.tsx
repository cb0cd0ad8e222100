import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/index.js';
import { document as asked } from '../data/queries.js';
import { count, usd, words } from '../parts/format.js';
import { JsonView } from '../parts/json-view.js';
import { Shown } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { Fact, RunLink } from '../parts/values.js';

/** Those that read as all options do: by their names, with 0 for none. */
function OtherLimits({ limits }: { limits: Answer<'setup'>['limits'] }) {
  const { maxSteps: _steps, wallSeconds: _time, costLimitUsd: _cost, gpus: _gpus, ...others } = limits;
  return Object.entries(others).map(([option, value]) => (
    <Fact key={option} name={words(option)}>
      {value === 0 ? 'none' : count(value)}
    </Fact>
  ));
}

/** What the run was given. */
export function SetupTab({ id }: { id: string }) {
  const setup = useQuery(asked('setup', { id }, {}));
  return (
    <Shown of={setup} what="the setup">
      {(data) => (
        <div className="columns">
          <section>
            <h2>First prompt</h2>
            {data.firstPrompt === null ? (
              <p className="muted">The first prompt cannot be rebuilt.</p>
            ) : (
              data.firstPrompt.map(({ role, content }, i) => (
                <div key={i} className="message">
                  <h3>
                    <Text value={role} />
                  </h3>
                  <TextBlock
                    source={content}
                    kind="text"
                    lines={80}
                    label={`${role} message ${i + 1}`}
                    className="thought"
                  />
                </div>
              ))
            )}
          </section>
          <section>
            <h2>Setup</h2>
            <dl className="facts-table">
              <Fact name="task">
                <Text value={data.task.id} /> contract {data.task.contract}
              </Fact>
              <Fact name="task hash">
                <code>
                  <Text value={data.task.hash} />
                </code>
              </Fact>
              <Fact name="agent">
                <Text value={data.agent.name} />
              </Fact>
              <Fact name="agent hash">
                <code>
                  <Text value={data.agent.hash} />
                </code>
              </Fact>
              <Fact name="model">
                <Text value={`${data.model.provider}: ${data.model.providerModel}`} />
              </Fact>
              <Fact name="sampling">
                {Object.entries(data.sampling)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(', ') || "the provider's"}
              </Fact>
              <Fact name="steps">{data.limits.maxSteps === 0 ? 'not recorded' : data.limits.maxSteps}</Fact>
              <Fact name="time">{data.limits.wallSeconds === 0 ? 'no limit' : `${data.limits.wallSeconds} s`}</Fact>
              <Fact name="cost limit">
                {data.limits.costLimitUsd === null ? 'none' : usd(data.limits.costLimitUsd)}
              </Fact>
              <OtherLimits limits={data.limits} />
              <Fact name="GPUs">{data.limits.gpus}</Fact>
              <Fact name="seed">{data.seed}</Fact>
              <Fact name="attempt">{data.attempt}</Fact>
              <Fact name="data">{data.sample ? 'sample' : 'real'}</Fact>
              <Fact name="memory">{data.memory ? "may use the task's" : 'none'}</Fact>
              <Fact name="image">
                <code>
                  <Text value={data.imageDigest ?? '–'} />
                </code>
              </Fact>
              <Fact name="evaluator image">
                <code>
                  <Text value={data.evaluatorImageDigest ?? '–'} />
                </code>
              </Fact>
              <Fact name="harness">
                <Text value={data.harnessVersion} />
              </Fact>
            </dl>
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
            <details>
              <summary>Task, as submitted</summary>
              <JsonView value={data.task.spec} label="task" />
            </details>
            <details>
              <summary>Agent</summary>
              <JsonView value={data.agent.config} label="agent" />
            </details>
            {data.model.config !== null && (
              <details>
                <summary>Model and prices</summary>
                <JsonView value={data.model.config} label="model" />
              </details>
            )}
          </section>
        </div>
      )}
    </Shown>
  );
}
