import { MOST_INTEGER } from '../../domain/requests/episode.js';
import { isObject, TOOLS } from '../tools.js';

/** Never refuses a model's output: what is no command is a malformed action. */
export interface SentStep {
  action: unknown;
  /** Null: the next number. */
  seq: number | null;
  policyVersion: number | null;
  /** The client called this tool, and gets a tool's answer. */
  tool: string | null;
}

export const listsTools = (data: Record<string, unknown>): boolean => data['type'] === 'list_tools';

/** `{command}`, or a tool call of older clients, with `action_seq` and `metadata`. */
export function sentStep(data: Record<string, unknown>): SentStep {
  if (data['type'] === 'call_tool') {
    const { type: _type, tool_name: name, arguments: given, ...rest } = data;
    const { seq, policyVersion } = besides(rest);
    return { action: toolAction(name, given), seq, policyVersion, tool: typeof name === 'string' ? name : '' };
  }
  return { ...besides(data), tool: null };
}

/** One of an unknown tool, or without its command, is malformed. */
export function toolAction(name: unknown, given: unknown): unknown {
  const args = isObject(given) ? given : {};
  if (name === 'run')
    return typeof args['command'] === 'string' ? { command: args['command'] } : { tool: name, arguments: given };
  if (TOOLS.some((tool) => tool.name === name)) return { command: name };
  return { tool: name, arguments: given };
}

/** Invalid numbers stay in the action: a model wrote them. */
function besides(data: Record<string, unknown>): { action: unknown; seq: number | null; policyVersion: number | null } {
  const { action_seq: direct, metadata, ...action } = data;
  const beside = isObject(metadata) ? metadata : {};
  const seq = direct ?? beside['action_seq'];
  const version = beside['policy_version'];
  const given = seq !== undefined && seq !== null;
  if (given && !isNumber(seq, 1)) return { action: data, seq: null, policyVersion: null };
  return { action, seq: isNumber(seq, 1) ? seq : null, policyVersion: isNumber(version, 0) ? version : null };
}

const isNumber = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= MOST_INTEGER;
