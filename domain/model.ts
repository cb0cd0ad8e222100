/** What passes between the agent loop and a model, whichever provider it comes from. */

/** A call of a tool by the model, as providers deliver it: `arguments` is the raw JSON text, which may be garbage. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A tool offered to the model; `parameters` is a JSON schema of type object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ChatMessage {
  /** `tool`: the result of the call `toolCallId` of the assistant message before. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Only on assistant messages of the tool-calling agent. */
  toolCalls?: ToolCall[];
  toolCallId?: string;
}

export const MODEL_KINDS = ['real', 'scripted', 'human', 'replay', 'oracle'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** A model as named on the command line, resolved. */
export interface ModelRef {
  /** As shown and stored: an alias, or `scripted:<policy>`. */
  name: string;
  kind: ModelKind;
  provider: string;
  /** The provider's own name for it, or the policy. */
  model: string;
}

export interface SamplingParameters {
  temperature?: number | undefined;
  topP?: number | undefined;
  maxOutputTokens?: number | undefined;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
}

export interface ModelRequest {
  model: ModelRef;
  messages: ChatMessage[];
  sampling: SamplingParameters;
  /** The run's seed. */
  seed: number;
  /** Only for the tool-calling agent. */
  tools?: ToolDefinition[];
}

export interface ModelReply {
  text: string;
  usage: TokenUsage;
  /** US dollars as an exact decimal string; "0" for scripted models. */
  costUsd: string;
  /** `stop`, `length`, `tool_calls`, `content_filter`, `refusal`, … as our adapters name it. */
  finishReason: string;
  toolCalls?: ToolCall[];
}
