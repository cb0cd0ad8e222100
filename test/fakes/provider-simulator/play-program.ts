import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import { scriptedPlayer } from '../../../models/scripted/index.js';
import type { Behaviour, SimulatedReply, SimulatedRequest } from './behaviour.js';

/** The shell tools of known clients, with the argument that takes the command. */
const SHELLS: readonly [tool: string, argument: string][] = [
  ['Bash', 'command'],
  ['bash', 'command'],
  ['exec_command', 'cmd'],
  ['terminal', 'command'],
  ['run_shell_command', 'command'],
  ['run_commands', 'commands'],
];

/** AIDE asks for whole scripts; its agent file says where they write. */
const SCRIPTS_WRITE_IN = /in the folder (\S+), as your script leaves it there/;
const MOST_TURNS = 20;

/**
 * A shell command per step, selected by the number of results in the request; AIDE gets scripts of
 * all of them, and reviews. Requests without a shell tool, as for a title, get one word.
 */
export function playProgram(policy: string): Behaviour {
  return async (request) => {
    if (request.tools.some(({ name }) => name === 'submit_review')) return reviewOf(request);
    const folder = SCRIPTS_WRITE_IN.exec(request.messages.map(({ content }) => content).join('\n'))?.[1];
    if (folder !== undefined) return { kind: 'reply', text: await scriptFor(policy, request, folder) };
    const shell = SHELLS.find(([name]) => request.tools.some((tool) => tool.name === name));
    if (shell === undefined) return { kind: 'reply', text: 'A game' };
    const taken = request.messages.filter(({ role }) => role === 'tool').length;
    const turn = await turnOf(policy, request, taken);
    if (turn.kind !== 'action') return { kind: 'reply', text: turn.text };
    const [name, argument] = shell;
    const call = {
      id: `call_${request.number}`,
      name,
      arguments: JSON.stringify({ [argument]: argument === 'commands' ? [turn.action] : turn.action }),
    };
    return { kind: 'reply', text: turn.thought, toolCalls: [call] };
  };
}

/** The policy's turn after so many. */
async function turnOf(policy: string, { messages }: SimulatedRequest, taken: number) {
  const asked = messages.filter(({ role }) => role === 'user' || role === 'system');
  const pairs = Array.from({ length: taken }, (): ChatMessage[] => [
    { role: 'assistant', content: 'done\n\n```\ntrue\n```\n' },
    { role: 'user', content: 'its result' },
  ]);
  const { text } = await scriptedPlayer.reply({
    model: { name: `scripted:${policy}`, kind: 'scripted', provider: 'scripted', model: policy },
    messages: [...asked, ...pairs.flat()],
  });
  return { ...parseFencedReply(text), text };
}

/** Runs the policy's commands until it hands in, and validates once. */
async function scriptFor(policy: string, request: SimulatedRequest, folder: string): Promise<string> {
  const commands: string[] = [];
  for (let taken = 0; taken < MOST_TURNS; taken++) {
    const turn = await turnOf(policy, request, taken);
    if (turn.kind !== 'action' || turn.action === 'submit') break;
    if (turn.action !== 'validate') commands.push(turn.action);
  }
  commands.push('validate');
  const script = [
    'import subprocess',
    `for command in ${JSON.stringify(commands)}:`,
    `    subprocess.run(["bash", "-c", command], cwd=${JSON.stringify(folder)}, check=True)`,
  ].join('\n');
  return `The strategy is written down, tried, and scored.\n\n\`\`\`python\n${script}\n\`\`\`\n`;
}

function reviewOf({ number }: SimulatedRequest): SimulatedReply {
  const review = { is_bug: false, summary: 'It scores.', metric: 1.5, lower_is_better: false };
  const call = { id: `call_${number}`, name: 'submit_review', arguments: JSON.stringify(review) };
  return { kind: 'reply', text: '', toolCalls: [call] };
}
