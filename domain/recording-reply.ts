import type { AgentConfig } from './agent/config.js';
import { BASH_TOOL } from './agent/commands.js';
import { readReply } from './agent/next-turn.js';
import { parserOf, type ReplyInput } from './agent/parse-reply.js';
import { decodeReply } from './agent/reply-encoding.js';
import type { RecordedStep, Recording } from './recording.js';

/** Run in place of a recorded command that the agent's blocklist refuses, so that the rest can still be played. */
export const REFUSED_STAND_IN = ': # the recorded command is refused by the blocklist of this agent';

/** The end that every recording gets which has none: as in MLGym, the work is handed in. */
const HAND_IN = { thought: 'The recording ends here.', action: 'submit' };

/** Line ends and blanks around a text are no part of what was said: formats differ in them. */
const bare = (text: string): string => text.replaceAll('\r\n', '\n').trim();

/** A thought and a command in the form that a parser wants; whether it can be read back is for the caller to see. */
function written(parser: AgentConfig['outputParser'], thought: string, action: string): ReplyInput {
  switch (parser) {
    case 'tool-calls':
      return {
        text: thought,
        toolCalls: [{ id: 'replay', name: BASH_TOOL, arguments: JSON.stringify({ command: action }) }],
      };
    case 'json':
      return { text: JSON.stringify({ thought, command: { name: action } }) };
    case 'action':
    case 'identity':
      return { text: action };
    case 'xml-thought-action':
      return { text: `${thought}\n<command>\n${action}\n</command>` };
    case 'fenced': {
      const longest = Math.max(2, ...[...action.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length));
      const fence = '`'.repeat(longest + 1);
      return { text: `${thought}\n\n${fence}\n${action}\n${fence}\n` };
    }
    case 'mlgym-thought-action':
    case 'thought-action':
    case 'edit-format':
      return { text: `${thought}\n\`\`\`\n${action}\n\`\`\`\n` };
  }
}

/**
 * A reply that this agent reads as the recorded thought and command: the recorded one itself if it does, else both written in the
 * form of the agent's parser. Where that form cannot hold the thought, it is changed or left away, never the command. Null: the form
 * cannot hold the command.
 */
export function bridgedReply(agent: AgentConfig, step: Omit<RecordedStep, 'observation'>): ReplyInput | null {
  // An empty script does nothing, but parsers refuse it.
  const action = step.action.trim() === '' ? ':' : bare(step.action);
  const parse = parserOf(agent.outputParser);
  const reads = (reply: ReplyInput, thought: string | null): boolean => {
    const parsed = parse(reply, { commands: agent.tools.commands });
    return (
      parsed.kind === 'action' &&
      bare(parsed.action) === action &&
      (thought === null || bare(parsed.thought) === bare(thought))
    );
  };
  const recorded = decodeReply(step.response);
  if (reads(recorded, step.thought)) return recorded;
  const thoughts = [step.thought, step.thought.replaceAll('```', "'''"), ''];
  const replies = thoughts.map((thought) => ({ thought, reply: written(agent.outputParser, thought, action) }));
  return (
    replies.find(({ thought, reply }) => reads(reply, thought))?.reply ??
    replies.find(({ reply }) => reads(reply, null))?.reply ??
    null
  );
}

/** The first step, from 1, whose command cannot be said in the form of this agent; null: all can. */
export function unplayableStep(agent: AgentConfig, recording: Recording): number | null {
  const at = [...recording.steps, { response: HAND_IN.action, ...HAND_IN }].findIndex(
    (step) => bridgedReply(agent, step) === null,
  );
  return at === -1 ? null : at + 1;
}

/**
 * What the recording says in a step (from 1) after so many requeries. A command that the agent's blocklist refused is followed by one
 * that does nothing; after the last step the work is handed in. Null: the agent's form cannot hold the command.
 */
export function replayedReply(
  agent: AgentConfig,
  recording: Recording,
  { step, requeries }: { step: number; requeries: number },
): ReplyInput | null {
  const recorded = recording.steps[step - 1] ?? { response: HAND_IN.action, ...HAND_IN };
  const reply = bridgedReply(agent, recorded);
  if (reply === null || requeries === 0 || readReply(agent, reply).kind !== 'blocked') return reply;
  return bridgedReply(agent, { response: '', thought: recorded.thought, action: REFUSED_STAND_IN });
}
