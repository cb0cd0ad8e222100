import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import { scriptedPlayer } from '../../../models/scripted/index.js';
import type { Behaviour } from './behaviour.js';

/** The shell tools of known clients, with the argument that takes the command. */
const SHELLS: readonly [tool: string, argument: string][] = [
  ['Bash', 'command'],
  ['bash', 'command'],
  ['exec_command', 'cmd'],
  ['terminal', 'command'],
  ['run_shell_command', 'command'],
  ['run_commands', 'commands'],
];

/**
 * A shell command per step, selected by the number of results in the request. Requests without a
 * shell tool, as for a title, get one word.
 */
export function playProgram(policy: string): Behaviour {
  return async (request) => {
    const shell = SHELLS.find(([name]) => request.tools.some((tool) => tool.name === name));
    if (shell === undefined) return { kind: 'reply', text: 'A game' };
    const taken = request.messages.filter(({ role }) => role === 'tool').length;
    const asked = request.messages.filter(({ role }) => role === 'user' || role === 'system');
    const pairs = Array.from({ length: taken }, (): ChatMessage[] => [
      { role: 'assistant', content: 'done\n\n```\ntrue\n```\n' },
      { role: 'user', content: 'its result' },
    ]);
    const { text } = await scriptedPlayer.reply({
      model: { name: `scripted:${policy}`, kind: 'scripted', provider: 'scripted', model: policy },
      messages: [...asked, ...pairs.flat()],
    });
    const parsed = parseFencedReply(text);
    if (parsed.kind !== 'action') return { kind: 'reply', text };
    const [name, argument] = shell;
    const call = {
      id: `call_${request.number}`,
      name,
      arguments: JSON.stringify({ [argument]: argument === 'commands' ? [parsed.action] : parsed.action }),
    };
    return { kind: 'reply', text: parsed.thought, toolCalls: [call] };
  };
}
