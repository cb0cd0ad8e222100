import type { ToolCall } from '../../model/model.js';
import type { CommandDoc } from '../command-doc.js';

/** What a parser looks at: a ModelReply fits. */
export interface ReplyInput {
  text: string;
  toolCalls?: readonly ToolCall[] | undefined;
  finishReason?: string | undefined;
}

/** A reply, cut into thought and command; or what is wrong with it, for the requery. */
export type ParsedReply =
  | { kind: 'action'; thought: string; action: string }
  | { kind: 'format_error'; problem: string };

export interface ParserContext {
  /** The special commands of the agent, besides bash. */
  commands: readonly CommandDoc[];
}

export type ReplyParser = (reply: ReplyInput, context: ParserContext) => ParsedReply;

/** One output parser: how it reads, and how it tells the model what it expects. */
export interface OutputParser {
  parse: ReplyParser;
  /** For the model, after a reply that could not be read. */
  expectedFormat: string;
}

export const formatError = (problem: string): ParsedReply => ({ kind: 'format_error', problem });
