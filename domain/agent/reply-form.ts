import type { CommandDoc } from './command-line.js';
import type { OutputParserName } from './parse-reply.js';

/** For players that must write in the agent's format. */
export interface ReplyForm {
  parser: OutputParserName;
  commands: readonly CommandDoc[];
}
