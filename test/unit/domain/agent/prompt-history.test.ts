import { expect, it } from 'vitest';
import { agentConfigSchema } from '../../../../domain/agent/config.js';
import { buildMessages, type PromptInput } from '../../../../domain/agent/messages.js';
import { PromptHistory } from '../../../../domain/agent/prompt-history.js';
import { encodeReply } from '../../../../domain/agent/reply-encoding.js';
import type { ShownStep } from '../../../../domain/run/run.js';
import { stepRecord, taskSpec } from '../../../fakes/records.js';
import { forAll, type Generator } from './generate.js';

const PROCESSORS = [
  { historyProcessor: 'default' },
  { historyProcessor: 'last-n-observations', historyProcessorArgs: { n: 3 } },
  { historyProcessor: 'closed-window' },
  { historyProcessor: 'token-budget', historyProcessorArgs: { tokens: 3_000 } },
];

function run(generate: Generator): PromptInput {
  const agent = agentConfigSchema.parse({
    ...{ schema: 1, description: 'Plays.', systemTemplate: 'In {{ workspace }}.', taskTemplate: '{{ task.id }}' },
    ...{ nextStepTemplate: '{{ observation }}\n({{ remainingSteps }} left, {{ workingDir }}, {{ openFile }})' },
    ...{ formatErrorTemplate: 'No.', observationLimit: 1000 + generate.int(2000) },
    outputParser: generate.pick(['fenced', 'tool-calls']),
    ...generate.pick(PROCESSORS),
  });
  return { task: taskSpec(), agent, maxSteps: 50, memoryRecords: generate.pick([null, 3]) };
}

const callOf = (generate: Generator, id: number) => ({
  ...{ id: `call_${id}`, name: 'bash' },
  arguments: JSON.stringify({ command: 'echo '.repeat(generate.int(200)) }),
});

const steps = (generate: Generator): ShownStep[] =>
  Array.from({ length: generate.int(12) }, (_, i) =>
    stepRecord({
      step: i + 1,
      response: encodeReply({
        text: 'word '.repeat(generate.int(200)),
        toolCalls: generate.list(3, () => callOf(generate, i)),
      }),
      observation: generate.pick([
        `[File: /a.py (9 lines total)]\n${'1:x\n'.repeat(generate.int(5))}`,
        'line\r\n'.repeat(generate.int(900)),
        '',
      ]),
      exitCode: generate.int(3),
      workingDir: `/ws/${generate.int(3)}`,
      toolState: generate.pick([null, { openFile: '/a.py', memoryWritten: generate.int(3) }]),
    }),
  );

/** As the store returns them. */
const read = (all: readonly ShownStep[], { after, through, settledThrough }: Record<string, number>): ShownStep[] =>
  all.slice(after, through).map((step) => (step.step <= (settledThrough ?? 0) ? { ...step, observation: null } : step));

it('a history that grows, and is shrunk and read again, shows what whole steps show', () =>
  forAll(300, (generate) => {
    const input = run(generate);
    const all = steps(generate);
    const history = new PromptHistory(input, '/ws');
    for (let asked = 0; asked <= all.length; asked += 1) {
      if (generate.int(4) === 0) history.shrink();
      const { through, settledThrough } = history;
      // The newest outcome is not kept.
      const final = Math.max(through, asked - 1);
      history.add(read(all, { after: through, through: final, settledThrough }));
      const newest = all.slice(final, asked);
      expect(history.prompt(newest)).toEqual(buildMessages(input, all.slice(0, asked), '/ws'));
    }
  }));

it('refuses a step that does not follow', () => {
  const history = new PromptHistory(
    run({ int: () => 0, pick: ([one]) => one!, list: () => [], text: () => '' }),
    '/ws',
  );
  history.add([stepRecord({ step: 1 })]);
  expect(() => history.add([stepRecord({ step: 3 })])).toThrow('step 3 does not come after 1');
});
