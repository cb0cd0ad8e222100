import { describe, expect, it } from 'vitest';
import { DEFAULT_COMMANDS } from '../../../../domain/agent/commands.js';
import { nextTurn } from '../../../../domain/agent/next-turn.js';
import { callsTools, OUTPUT_PARSERS, type OutputParserName, parserOf } from '../../../../domain/agent/parse-reply.js';
import { type DecodedReply, encodeReply } from '../../../../domain/agent/reply-encoding.js';
import type { ReplyForm } from '../../../../domain/agent/reply-form.js';
import type { Recording } from '../../../../domain/recording/recording.js';
import { bridgedReply, REFUSED_STAND_IN, replayedReply, unplayableStep } from '../../../../domain/recording/reply.js';
import { agentConfig, taskSpec } from '../../../fakes/records.js';
import { forAll } from '../agent/generate.js';

const formOf = (parser: OutputParserName): ReplyForm => ({ parser, commands: DEFAULT_COMMANDS });
const recordingOf = (...actions: string[]): Recording => ({
  format: 'mlgym',
  steps: actions.map((action) => ({
    response: `So.\n\`\`\`\n${action}\`\`\`\n`,
    thought: 'So.\n',
    action,
    observation: '',
  })),
  omitted: 0,
  endedBy: null,
  scores: [],
  workspace: null,
});
const read = (form: ReplyForm, reply: DecodedReply | null) =>
  reply === null ? null : parserOf(form.parser)(reply, form);

/** `action` knows nothing but the special commands. */
const anyCommand = OUTPUT_PARSERS.filter((name) => name !== 'action');

describe('a recorded reply', () => {
  it('is said as it was where the agent reads it as recorded', () => {
    const step = { response: 'I look.\n```bash\nls -la\n```\nNow.', thought: 'I look.\nNow.', action: 'ls -la\n' };
    expect(bridgedReply(formOf('fenced'), step)).toEqual({ text: step.response });
    const called = {
      text: 'I look.',
      toolCalls: [{ id: 'c', name: 'bash', arguments: '{"command":"ls -la","timeout":3}' }],
    };
    const own = { response: encodeReply(called), thought: 'I look.', action: 'ls -la' };
    expect(bridgedReply(formOf('tool-calls'), own)).toEqual(called);
  });

  it('is written anew where the agent reads it otherwise', () => {
    const step = { response: '```\none\n```\nor rather\n```\ntwo\n```', thought: 'one or rather', action: 'two\n' };
    expect(read(formOf('fenced'), { text: step.response })).toMatchObject({ kind: 'format_error' });
    const reply = bridgedReply(formOf('fenced'), step);
    expect(read(formOf('fenced'), reply)).toEqual({ kind: 'action', thought: 'one or rather', action: 'two\n' });
    const call = bridgedReply(formOf('tool-calls'), step);
    expect(call?.toolCalls).toHaveLength(1);
    expect(read(formOf('tool-calls'), call)).toEqual({ kind: 'action', thought: 'one or rather', action: 'two\n' });
  });

  it('of the tool-calling agent is a text for agents that write commands', () => {
    const called = { text: 'I look.', toolCalls: [{ id: 'c', name: 'bash', arguments: '{"command":"ls"}' }] };
    const step = { response: encodeReply(called), thought: 'I look.', action: 'ls' };
    for (const parser of anyCommand.filter((name) => !callsTools(name))) {
      const reply = bridgedReply(formOf(parser), step);
      expect(reply?.toolCalls).toBeUndefined();
      expect(read(formOf(parser), reply)).toMatchObject({
        kind: 'action',
        action: expect.stringMatching(/^ls\s*$/) as string,
      });
    }
  });

  it('with fences in the command gets longer ones around it, where fences may be longer', () => {
    const action = "cat > README.md <<'EOF'\n```sh\nls\n```\n````\nEOF";
    const reply = bridgedReply(formOf('fenced'), { response: '', thought: 'Docs.', action });
    expect(read(formOf('fenced'), reply)).toEqual({ kind: 'action', thought: 'Docs.', action });
  });

  it('loses the fences of its thought before the thought, and the thought before the command', () => {
    const thought = 'First\n```\nthis\n```\nthen that.';
    const fenced = bridgedReply(formOf('fenced'), { response: '', thought, action: 'ls' });
    expect(read(formOf('fenced'), fenced)).toEqual({
      kind: 'action',
      thought: "First\n'''\nthis\n'''\nthen that.",
      action: 'ls',
    });
    const identity = bridgedReply(formOf('identity'), { response: '', thought, action: 'ls' });
    expect(identity).toEqual({ text: 'ls' });
  });

  it('whose command the format cannot hold is refused before anything is played', () => {
    const recording = recordingOf('validate\n', 'ls\n', 'submit\n');
    expect(unplayableStep(formOf('action'), recording)).toBe(2);
    expect(replayedReply(formOf('action'), recording, { step: 2, requeries: 0 })).toBeNull();
    expect(unplayableStep(formOf('fenced'), recording)).toBeNull();
  });

  it('is read as recorded, whatever stands in it', () => {
    const pieces = [
      'ls',
      ' ',
      '\n',
      '\r\n',
      "cat <<'E'\nx\nE\n",
      '"',
      "'",
      '\\',
      '`',
      '```',
      '{',
      '<b>',
      'é😀',
      '$(x)',
    ];
    forAll(400, (generate) => {
      const action = `echo ${generate.text(pieces, 8)}`;
      const thought = `So ${generate.text(pieces, 8)}`;
      const bare = (text: string) => text.replaceAll('\r\n', '\n').trim();
      for (const parser of ['fenced', 'tool-calls', 'json'] as const) {
        // JSON keeps no blanks around a command, and one may be escaped.
        if (parser === 'json' && action.trim().endsWith('\\')) continue;
        const parsed = read(formOf(parser), bridgedReply(formOf(parser), { response: '', thought, action }));
        if (parsed?.kind !== 'action') throw new Error(`${parser} cannot hold ${JSON.stringify(action)}`);
        expect(bare(parsed.action), parser).toBe(bare(action));
        if (parser !== 'fenced') expect(bare(parsed.thought), parser).toBe(bare(thought));
      }
    });
  });
});

describe('playing a recording', () => {
  it('says the reply of each step, and then hands in', () => {
    const recording = recordingOf('ls\n', 'cat x\n');
    const said = [1, 2, 3, 4].map((step) => {
      const parsed = read(formOf('fenced'), replayedReply(formOf('fenced'), recording, { step, requeries: 0 }));
      return parsed?.kind === 'action' ? parsed.action : parsed;
    });
    expect(said).toEqual(['ls', 'cat x', 'submit', 'submit']);
    expect(replayedReply(formOf('tool-calls'), recording, { step: 3, requeries: 0 })?.toolCalls).toHaveLength(1);
  });

  it('answers the same when it is asked again', () => {
    const recording = recordingOf('ls\n');
    const once = replayedReply(formOf('tool-calls'), recording, { step: 1, requeries: 0 });
    expect(replayedReply(formOf('tool-calls'), recording, { step: 1, requeries: 0 })).toEqual(once);
  });

  it('goes on after a command that the blocklist of the agent refuses', () => {
    const form = formOf('tool-calls');
    const recording = recordingOf('git init\n', 'ls\n');
    const run = { task: taskSpec(), agent: agentConfig({ outputParser: 'tool-calls' }), maxSteps: 5 };
    const first = replayedReply(form, recording, { step: 1, requeries: 0 })!;
    expect(nextTurn(run, [first])).toMatchObject({ kind: 'ask' });
    const second = replayedReply(form, recording, { step: 1, requeries: 1 })!;
    expect(nextTurn(run, [first, second])).toMatchObject({ kind: 'action', action: REFUSED_STAND_IN });
  });

  it('a recorded command that was empty does nothing', () => {
    const reply = replayedReply(formOf('fenced'), recordingOf('\n'), { step: 1, requeries: 0 });
    expect(read(formOf('fenced'), reply)).toMatchObject({ kind: 'action', action: ':' });
  });
});
