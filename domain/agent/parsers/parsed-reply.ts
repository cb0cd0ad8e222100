import type { ToolCall } from '../../model/model.js';
import type { CommandDoc } from '../command-line.js';

/** A ModelReply fits. */
export interface ReplyInput {
  text: string;
  toolCalls?: readonly ToolCall[] | undefined;
  finishReason?: string | undefined;
  /** For the model that gave the reply. */
  reasoning?: string | undefined;
}

/** Thought and command; or the problem, for the requery. */
export type ParsedReply =
  | { kind: 'action'; thought: string; action: string }
  | { kind: 'format_error'; problem: string };

export interface ParserContext {
  /** Without bash. */
  commands: readonly CommandDoc[];
  /** Names of the agent's MCP servers; absent: none. */
  mcp?: readonly string[];
}

export type ReplyParser = (reply: ReplyInput, context: ParserContext) => ParsedReply;

export interface OutputParser {
  parse: ReplyParser;
  /** For the model, after an unreadable reply. */
  expectedFormat: string;
}

export const formatError = (problem: string): ParsedReply => ({ kind: 'format_error', problem });
