import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedPlayer } from '../../../models/scripted/index.js';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import { parseScriptedPolicy } from '../../../domain/model/scripted-policies.js';
import { loadTask } from '../../../catalog/index.js';

const CONFIGS = join(import.meta.dirname, '..', '..', '..', 'configs');

const ask = async (policy: string, messages: ChatMessage[]): Promise<string> => {
  const model = { name: `scripted:${policy}`, kind: 'scripted' as const, provider: 'scripted', model: policy };
  const reply = await scriptedPlayer.reply({ model, messages });
  return reply.text;
};
const start: ChatMessage[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 't' },
];

/** Play a policy with empty observations until it submits; returns its commands. */
async function play(policy: string, begin = start): Promise<{ commands: string[]; badReplies: number }> {
  const messages = [...begin];
  const commands: string[] = [];
  let badReplies = 0;
  for (let step = 0; step < 50; step++) {
    let text = await ask(policy, messages);
    let parsed = parseFencedReply(text);
    const requery: ChatMessage[] = [];
    while (parsed.kind === 'format_error') {
      badReplies++;
      requery.push({ role: 'assistant', content: text }, { role: 'user', content: 'bad' });
      text = await ask(policy, [...messages, ...requery.slice(-2)]);
      parsed = parseFencedReply(text);
    }
    commands.push(parsed.action);
    if (parsed.action === 'submit') break;
    messages.push({ role: 'assistant', content: text }, { role: 'user', content: '' });
  }
  return { commands, badReplies };
}

describe('scripted policies', () => {
  it('baseline submits at once', async () => expect((await play('baseline')).commands).toEqual(['submit']));
  it('optimum edits, validates twice, submits', async () => {
    const { commands } = await play('optimum');
    expect(commands.filter((c) => c === 'validate')).toHaveLength(2);
    expect(commands.at(-1)).toBe('submit');
  });
  it.each([
    ['battleOfSexes', 'return 0'],
    ['prisonersDilemma', 'return 1'],
    ['blotto', 'return [0, 0, 30, 30, 30, 30]'],
  ])('optimum knows %s by its description, whatever demonstrations came before', async (task, move) => {
    const { description } = loadTask([CONFIGS], task).spec;
    const demonstrations = ['blotto', 'prisonersDilemma', 'battleOfSexes'].map((name): ChatMessage => ({
      role: 'user',
      content: name,
    }));
    const { commands } = await play('optimum', [...demonstrations, { role: 'user', content: description }]);
    expect(commands.find((command) => command.startsWith('cat > strategy.py'))).toContain(`    ${move}\n`);
  });
  it('clumsy replies in a bad format twice and still submits', async () => {
    const { commands, badReplies } = await play('clumsy');
    expect(badReplies).toBe(2);
    expect(commands.at(-1)).toBe('submit');
  });
  it('counter takes as many steps as it is told, then submits', async () => {
    expect((await play('counter:4')).commands).toHaveLength(5);
  });
  it('gives the same reply for the same messages', async () => {
    expect(await ask('clumsy', start)).toBe(await ask('clumsy', start));
  });
});

describe('parseScriptedPolicy', () => {
  it.each(['nobody', 'baseline:3', 'counter:0', 'counter:x', 'counter:', ''])('refuses %j', (text) => {
    expect(parseScriptedPolicy(text)).toBeNull();
  });
  it('reads the number or takes its default', () => {
    expect(parseScriptedPolicy('counter:600')).toEqual({ policy: 'counter', number: 600 });
    expect(parseScriptedPolicy('counter')).toEqual({ policy: 'counter', number: 10 });
  });
});
