import { z } from 'zod';
import { isObject, TOOLS } from '../tools.js';
import type { CallResult } from './result.js';

export const toolList = {
  tools: TOOLS,
  terminal_tool: null,
  supports_score_group: false,
  message_block_types: ['text'],
};

export const callSchema = z.looseObject({
  name: z.string(),
  input: z.unknown().optional(),
  task_id: z.string().nullish(),
});

/** An action, a query about the running one, or an error, which executes nothing. */
export type ReadCall =
  | { kind: 'action'; action: { command: string } }
  | { kind: 'control'; command: 'wait' | 'interrupt' }
  | { kind: 'wrong'; result: CallResult };

export function readCall(name: string, input: unknown): ReadCall {
  if (name === 'wait' || name === 'interrupt') return { kind: 'control', command: name };
  if (name === 'validate' || name === 'submit') return { kind: 'action', action: { command: name } };
  if (name !== 'run') {
    const error = `'${name}' is not a valid tool. There are: ${TOOLS.map((tool) => tool.name).join(', ')}.`;
    return { kind: 'wrong', result: { ok: false, error, reason: 'not_found' } };
  }
  const command = isObject(input) ? input['command'] : undefined;
  if (typeof command === 'string') return { kind: 'action', action: { command } };
  const error = 'Tool input validation error: run takes {"command": "<text>"}. Nothing was executed.';
  return { kind: 'wrong', result: { ok: false, error, reason: 'input_validation' } };
}
