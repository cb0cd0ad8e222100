import { expect, it } from 'vitest';
import { executeCommand, type CommandPorts } from '../../../activities/command.js';
import { type ModelPorts, nextAction } from '../../../activities/next-action.js';
import { PromptHistories } from '../../../activities/prompt-histories.js';
import { buildMessages } from '../../../domain/agent/messages.js';
import { SUMMARY_REQUEST } from '../../../domain/agent/step-text.js';
import { estimateTokens } from '../../../domain/model/estimate-tokens.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import type { Player, TurnResult } from '../../../domain/ports/player.js';
import type { ObservedCommand, RunDefinition, StepRecord } from '../../../domain/run/run.js';
import { scriptedPlayer } from '../../../models/scripted/index.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';
import { LONG } from '../../setup/long.js';

const WINDOW = 4000;
const STEPS = LONG ? 2000 : 120;
/** Each restart reads the whole record. */
const RESTART_EVERY = LONG ? 97 : 7;

const agent = agentConfig({ outputParser: 'several-tool-calls', compactAt: 0.8 });
const model = { name: 'm', kind: 'scripted', provider: 'scripted', model: 'counter:100000' };
const run = {
  ...{ runId: 'r-test', batchId: 'b-test', backend: 'docker', agent, task: taskSpec(), maxSteps: STEPS },
  model: { ...model, config: { contextWindow: WINDOW } },
} as unknown as RunDefinition;

type Asked = { key: string; messages: ChatMessage[] };
const isSummary = ({ messages }: Pick<Asked, 'messages'>): boolean => messages.at(-1)?.content === SUMMARY_REQUEST;

/** The scripted counter, which also writes summaries; a record in memory. `answer`: instead. */
function world(answer: (asked: Asked, number: number) => TurnResult | null = () => null) {
  const record = new Map<number, StepRecord>();
  const asked: Asked[] = [];
  const paid = new Map<string, TurnResult>();
  const commands: string[] = [];
  const store = {
    workspace: async () => '/ws',
    step: async (_: string, step: number) => record.get(step) ?? null,
    shownSteps: async function* (_: string, { after, through }: { after: number; through: number }) {
      yield [...record.values()].filter(({ step }) => step > after && step <= through);
    },
    saveAction: async (_: string, step: number, action: object) => {
      if (!record.has(step)) record.set(step, stepRecord({ ...action, step, observation: null }));
      return true;
    },
    saveCommand: async (_: string, step: number, command: ObservedCommand) => {
      record.set(step, { ...record.get(step)!, ...command });
      return true;
    },
    noteStarter: async () => undefined,
  };
  const player: Player = {
    async next(_run, turn, { messages, tools }) {
      const key = `${turn.step}/${turn.try}`;
      const known = paid.get(key);
      if (known !== undefined) return known;
      const one = { key, messages };
      asked.push(one);
      const given = answer(one, asked.length);
      if (given !== null) return given;
      const text = 'I counted. '.repeat(10);
      const reply = isSummary(one)
        ? {
            text,
            finishReason: 'stop',
            costUsd: '0',
            usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 },
          }
        : await scriptedPlayer.reply({ model: run.model, messages, turn, ...(tools && { tools }) });
      const result: TurnResult = { kind: 'reply', reply, ms: 1 };
      paid.set(key, result);
      return result;
    },
  };
  const sandbox = {
    run: async (_: unknown, { script }: { script: string }) => {
      commands.push(script);
      return {
        ...{
          exitCode: 0,
          timedOut: false,
          stoppedBy: null,
          lost: false,
          output: 'line 1\n'.repeat(30),
          outputBytes: 1,
        },
        ...{ notice: null, workingDir: '/ws', requested: null, toolState: { openFile: null }, memories: [], ms: 1 },
      };
    },
  };
  const definitions = { get: async () => run };
  let ports = portsOf();
  function portsOf(): ModelPorts {
    const histories = new PromptHistories();
    return { store, definitions, histories, players: new Map([['scripted', player]]) } as unknown as ModelPorts;
  }
  const signal = new AbortController().signal;
  const turn = (step: number) => nextAction(ports, { runId: 'r-test', step }, undefined, signal);
  const command = (step: number) =>
    executeCommand(
      { store, definitions, backends: { docker: { sandbox } } } as unknown as CommandPorts,
      { runId: 'r-test', step, epoch: 1, timeLimitSeconds: 60, fence: 'f/1' },
      signal,
    );
  /** Another worker, which knows the record alone. */
  const restart = (): void => void (ports = portsOf());
  return { record, asked, commands, turn, command, restart };
}

it(`a run of ${STEPS} steps stays within a small window, and each prompt follows from the record`, async () => {
  const { record, asked, commands, turn, command, restart } = world();
  for (let step = 1; step <= STEPS; step++) {
    expect(await turn(step)).toMatchObject({ kind: 'action' });
    // A worker dies before the action is used, or the outcome is.
    if (step % RESTART_EVERY === 0) {
      restart();
      expect(await turn(step)).toMatchObject({ kind: 'action' });
    }
    await command(step);
    if (step % RESTART_EVERY === 3) restart();
  }
  const summaries = asked.filter(isSummary);
  expect(summaries.length).toBeGreaterThan(STEPS / 50);
  // A step is asked once, whether it is an action or a summary.
  expect(asked.map(({ key }) => key)).toEqual(Array.from({ length: STEPS }, (_, at) => `${at + 1}/0`));
  expect(commands).toHaveLength(STEPS - summaries.length);
  for (const { messages } of asked) expect(estimateTokens(messages)).toBeLessThan(WINDOW);

  const steps = [...record.values()];
  for (const { key, messages } of asked.slice(-20)) {
    const before = steps.slice(0, Number(key.split('/')[0]) - 1);
    if (!isSummary({ messages })) expect(messages).toEqual(buildMessages(run, before, '/ws'));
  }
}, 600_000);

it('a provider that finds the prompt too long gets a summary instead, once', async () => {
  const full: TurnResult = { kind: 'end', endReason: 'context' };
  const { record, asked, turn, command } = world((one) => (one.key === '4/0' ? full : null));
  for (let step = 1; step <= 5; step++) {
    expect(await turn(step)).toMatchObject({ kind: 'action' });
    await command(step);
  }
  expect(asked.map(({ key }) => key)).toEqual(['1/0', '2/0', '3/0', '4/0', '4/1', '5/0']);
  expect(record.get(4)).toMatchObject({ action: '# summary of the steps up to 2', observation: '' });
  const [, , summary, reply] = asked.at(-1)!.messages;
  expect(summary?.content).toMatch(/^# Your summary of the steps 1 to 2\n/);
  expect([reply?.role, asked.at(-1)!.messages.length]).toEqual(['assistant', 5]);
});

it.each<[string, TurnResult]>([
  ['does not fit either', { kind: 'end', endReason: 'context' }],
  ['is not affordable', { kind: 'end', endReason: 'cost' }],
])('the run ends by its reason where the summary %s', async (_, end) => {
  const full: TurnResult = { kind: 'end', endReason: 'context' };
  const { asked, turn, command } = world((one) => (one.key === '4/0' ? full : one.key === '4/1' ? end : null));
  for (let step = 1; step <= 3; step++) {
    await turn(step);
    await command(step);
  }
  expect(await turn(4)).toMatchObject(end);
  expect(asked.at(-1)?.key).toBe('4/1');
});

it('an empty summary is asked for once more, then the full context ends the run', async () => {
  const nothing = { text: ' ', finishReason: 'stop', costUsd: '0' };
  const { asked, turn, command } = world((one) =>
    one.key === '4/0'
      ? { kind: 'end', endReason: 'context' }
      : isSummary(one)
        ? ({ kind: 'reply', reply: nothing, ms: 1 } as TurnResult)
        : null,
  );
  for (let step = 1; step <= 3; step++) {
    await turn(step);
    await command(step);
  }
  expect(await turn(4)).toMatchObject({ kind: 'end', endReason: 'context' });
  expect(asked.slice(-2).map(({ key }) => key)).toEqual(['4/1', '4/2']);
});

it('with no older step to summarise, a full window ends the run', async () => {
  const { asked, turn, command } = world((one) => (one.key === '2/0' ? { kind: 'end', endReason: 'context' } : null));
  await turn(1);
  await command(1);
  expect(await turn(2)).toMatchObject({ kind: 'end', endReason: 'context' });
  expect(asked.map(({ key }) => key)).toEqual(['1/0', '2/0']);
});
