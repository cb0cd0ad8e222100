import type { ChatMessage } from '../../../domain/model.js';
import type { Game } from './game.js';

/** What a policy sees: the same messages that a provider would. Policies are pure: the same messages, the same reply. */
export interface PolicyView {
  messages: ChatMessage[];
  game: Game;
  /** Steps taken so far: assistant messages with a usable command. */
  stepsTaken: number;
  /** The last reply was refused for its format, and this is the requery. */
  requery: boolean;
  number: number;
}
export type Policy = (view: PolicyView) => string;

/** A well-formed reply: a thought and one fenced command. */
export const reply = (thought: string, command: string): string => `${thought}\n\n\`\`\`bash\n${command}\n\`\`\`\n`;
