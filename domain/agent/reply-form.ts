import type { CommandDoc } from './command-doc.js';
import type { OutputParserName } from './parse-reply.js';

/** How a run's agent reads replies, for players that must write in its form. */
export interface ReplyForm {
  parser: OutputParserName;
  commands: readonly CommandDoc[];
}
