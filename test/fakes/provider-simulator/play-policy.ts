import { scriptedPlayer } from '../../../models/scripted/index.js';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import type { Behaviour, SimulatedRequest } from './behaviour.js';

const fenced = (thought: string, command: string): string => `${thought}\n\n\`\`\`bash\n${command}\n\`\`\`\n`;

/** The tool's parameter for the command: its only one, or the first. */
function commandParameter(request: SimulatedRequest): string {
  const properties = request.tools[0]?.parameters['properties'];
  return Object.keys(typeof properties === 'object' && properties !== null ? properties : {})[0] ?? 'command';
}

/** One argument of a call; invalid JSON stays unchanged. */
function argument(text: string, name: string): string {
  try {
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}

/** The conversation in a text agent's form, for any agent. */
function asTexts(request: SimulatedRequest): ChatMessage[] {
  return request.messages.map((message): ChatMessage => {
    if (message.role === 'tool') return { role: 'user', content: message.content };
    const call = message.toolCalls?.[0];
    if (call === undefined) return message;
    const command = argument(call.arguments, commandParameter(request));
    return { role: 'assistant', content: fenced(message.content, command) };
  });
}

/** As a fenced reply or a call of the first tool. `optimum` plays battleOfSexes by real edits. */
export function playPolicy(policy: string): Behaviour {
  return async (request) => {
    const { text } = await scriptedPlayer.reply({
      model: { name: `scripted:${policy}`, kind: 'scripted', provider: 'scripted', model: policy },
      messages: asTexts(request),
    });
    const [tool] = request.tools;
    if (tool === undefined) return { kind: 'reply', text };
    const parsed = parseFencedReply(text);
    if (parsed.kind !== 'action') return { kind: 'reply', text };
    const toolCall = {
      id: `call_${request.number}`,
      name: tool.name,
      arguments: JSON.stringify({ [commandParameter(request)]: parsed.action }),
    };
    return { kind: 'reply', text: parsed.thought, toolCalls: [toolCall] };
  };
}
