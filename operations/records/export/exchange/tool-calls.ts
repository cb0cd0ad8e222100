import { decodeReply } from '../../../../domain/agent/reply-encoding.js';
import type { ExchangedStep } from '../../../../domain/exchange/recorded-run.js';
import type { ToolCall } from '../../../../domain/model/model.js';

/** ATIF and Inspect share this form: arguments are an object. */
export interface ObjectCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The sent text, where it differs from how the object is written. */
  argumentsText?: string;
  /** The model's id, where another call of the step also has it, or it is empty. */
  sentId?: string;
}

export interface StepReply {
  text: string;
  calls: ObjectCall[];
  /** bench made the only call: the agent writes commands into its text. */
  synthetic: boolean;
}

/** The first call is the one that ran. */
export function stepReply({ step, response, action }: Pick<ExchangedStep, 'step' | 'response' | 'action'>): StepReply {
  const { text, toolCalls = [] } = decodeReply(response);
  if (toolCalls.length > 0) return { text, calls: objectCalls(toolCalls, step), synthetic: false };
  if (action === null) return { text, calls: [], synthetic: false };
  return {
    text,
    calls: [{ id: `step-${step}`, name: 'bash', arguments: { command: action } }],
    synthetic: true,
  };
}

export function objectCalls(calls: readonly ToolCall[], step: number): ObjectCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const usable = call.id !== '' && !seen.has(call.id);
    const id = usable ? call.id : `step-${step}-${index + 1}`;
    seen.add(id);
    const object = objectOf(call.arguments);
    return {
      ...{ id, name: call.name, arguments: object ?? {} },
      ...((object === null || JSON.stringify(object) !== call.arguments) && { argumentsText: call.arguments }),
      ...(!usable && { sentId: call.id }),
    };
  });
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
