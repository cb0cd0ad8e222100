import type { ToolCall } from '../model/model.js';
import { isJson } from './json.js';
import { parsed } from './wire.js';
import { shellWord } from '../text/shell-word.js';

const COMMAND_KEYS = ['command', 'cmd', 'input'];

/** For people: the command, or else the raw calls. */
export function actionOf(calls: readonly ToolCall[]): string | null {
  if (calls.length === 0) return null;
  return calls.map(({ name, arguments: given }) => commandIn(given) ?? `${name} ${given}`).join('\n');
}

function commandIn(given: string): string | null {
  const value = parsed(given);
  if (!isJson(value)) return null;
  const { commands } = value;
  if (Array.isArray(commands) && commands.every((one) => typeof one === 'string')) return commands.join('\n');
  const key = COMMAND_KEYS.find((one) => value[one] !== undefined);
  const command = key === undefined ? undefined : value[key];
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return null;
  const [shell = '', flag = '', script] = command;
  if (command.length === 3 && script !== undefined && /(?:^|\/)(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag))
    return script;
  return command.map(shellWord).join(' ');
}
