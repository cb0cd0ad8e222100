import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedPlayer } from '../../../models/scripted/index.js';
import type { AgentConfig } from '../../../domain/agent/config.js';
import { buildMessages, toolDefinitions } from '../../../domain/agent/messages.js';
import { nextTurn } from '../../../domain/agent/next-turn.js';
import { OUTPUT_PARSERS, type OutputParserName } from '../../../domain/agent/parse-reply.js';
import type { ModelReply } from '../../../domain/model/model.js';
import type { TurnRequest } from '../../../models/free-player.js';
import type { StepRecord } from '../../../domain/run/run.js';
import { loadAgent, loadTask } from '../../../catalog/index.js';

const CONFIGS = join(import.meta.dirname, '..', '..', '..', 'configs');
const task = loadTask([CONFIGS], 'blotto').spec;
const agentWith = (changes: Partial<AgentConfig>): AgentConfig => ({
  ...loadAgent([CONFIGS], changes.outputParser === 'tool-calls' ? 'tool-calling' : 'default').config,
  ...changes,
});
const observed = {
  observation: 'out',
  exitCode: 0,
  timedOut: false,
  lost: false,
  outputBytes: 3,
  requested: null,
  workingDir: null,
  commandMs: 1,
  modelMs: 1,
};

interface Played {
  actions: string[];
  thoughts: string[];
  refused: ModelReply[];
  end: 'submit' | 'format';
}

/** Play a whole run as the activities do; `told`: requests name the turn, as in a run. */
async function play(policy: string, agent: AgentConfig, { told }: { told: boolean }): Promise<Played> {
  const model = { name: `scripted:${policy}`, kind: 'scripted' as const, provider: 'scripted', model: policy };
  const run = { task, agent, maxSteps: 50 };
  const tools = toolDefinitions(run, '/w');
  const steps: StepRecord[] = [];
  const refused: ModelReply[] = [];
  const played = (end: Played['end']): Played => ({
    actions: steps.map((step) => (step.action ?? '').trim()),
    thoughts: steps.map((step) => step.thought.trim()),
    refused,
    end,
  });
  for (let step = 1; step <= 50; step += 1) {
    const history = buildMessages(run, steps, '/w');
    const replies: ModelReply[] = [];
    for (;;) {
      const turn = nextTurn(run, replies);
      if (turn.kind === 'end') return played('format');
      if (turn.kind === 'action') {
        refused.push(...replies.slice(0, -1));
        steps.push({ ...observed, step, response: turn.response, thought: turn.thought, action: turn.action });
        break;
      }
      const request: TurnRequest = {
        model,
        messages: [...history, ...turn.messages],
        ...(tools === undefined ? {} : { tools }),
        readAs: { parser: agent.outputParser, commands: agent.tools.commands },
        ...(told ? { turn: { runId: 'r', step, try: replies.length } } : {}),
      };
      replies.push(await scriptedPlayer.reply(request));
    }
    if (steps.at(-1)?.action?.trim() === 'submit') return played('submit');
  }
  return played('format');
}

const POLICIES = ['baseline', 'optimum', 'clumsy', 'slow:2', 'counter:3'];
const PARSERS = OUTPUT_PARSERS.filter((parser) => parser !== 'action');
const both = [true, false];

describe('a scripted policy in the form of the run’s agent', () => {
  it.each(POLICIES.flatMap((policy) => PARSERS.map((parser) => ({ policy, parser }))))(
    '$policy does the same through $parser as through fenced text',
    async ({ policy, parser }) => {
      const expected = await play(policy, agentWith({ outputParser: 'fenced' }), { told: true });
      for (const told of both) {
        const played = await play(policy, agentWith({ outputParser: parser }), { told });
        expect(played.actions).toEqual(expected.actions);
        expect(played.end).toBe('submit');
        if (parser !== 'identity') expect(played.thoughts).toEqual(expected.thoughts);
      }
    },
  );

  it('calls bash, validate and submit as tools, with its thought as text', async () => {
    const model = { name: 'scripted:optimum', kind: 'scripted' as const, provider: 'scripted', model: 'optimum' };
    const agent = agentWith({ outputParser: 'tool-calls' });
    const tools = toolDefinitions({ task, agent, maxSteps: 9 }, '/w') ?? [];
    const replyAt = (step: number) =>
      scriptedPlayer.reply({ model, messages: [], tools, turn: { runId: 'r', step, try: 0 } });
    const replies = [await replyAt(1), await replyAt(2), await replyAt(6)];
    expect(replies.map((reply) => reply.toolCalls?.map((call) => call.name))).toEqual([
      ['bash'],
      ['validate'],
      ['submit'],
    ]);
    expect(replies[0]).toMatchObject({
      text: 'First I look at what there is.',
      finishReason: 'tool_calls',
      costUsd: '0',
    });
    expect(replies[0]?.usage.outputTokens).toBeGreaterThan(8);
  });

  it('clumsy makes mistakes that tool calls can have: none, and two at once', async () => {
    for (const told of both) {
      const { refused } = await play('clumsy', agentWith({ outputParser: 'tool-calls' }), { told });
      expect(refused.map((reply) => (reply.toolCalls ?? []).length)).toEqual([0, 2]);
    }
  });

  it.each(['fenced', 'mlgym-thought-action', 'xml-thought-action', 'json'] satisfies OutputParserName[])(
    'clumsy makes mistakes that %s can have',
    async (parser) => {
      const { refused } = await play('clumsy', agentWith({ outputParser: parser }), { told: true });
      expect(refused.length).toBeGreaterThan(0);
    },
  );

  it('knows its step when the agent shows only the end of its history', async () => {
    const agent = agentWith({ historyProcessor: 'token-budget', historyProcessorArgs: { tokens: 1500 } });
    const played = await play('counter:12', agent, { told: true });
    expect(played.actions).toHaveLength(13);
  });

  it('baseline can play an agent that takes special commands only; a policy that needs a shell is refused', async () => {
    const agent = agentWith({ outputParser: 'action' });
    expect((await play('baseline', agent, { told: true })).actions).toEqual(['submit']);
    await expect(play('optimum', agent, { told: true })).rejects.toThrow(/output parser action/);
  });
});
