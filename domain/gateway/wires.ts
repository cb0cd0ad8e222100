import type { ProgramClient } from '../agent/program.js';
import { chatWire } from './chat.js';
import { geminiWire } from './gemini.js';
import { messagesWire } from './messages.js';
import { responsesWire } from './responses.js';
import type { Wire } from './wire.js';

const WIRES: readonly Wire[] = [chatWire, responsesWire, messagesWire, geminiWire];

const NO_QUERY = new URLSearchParams();

export const wireOf = (client: ProgramClient): Wire => WIRES.find((wire) => wire.client === client)!;
export const wireAt = (path: string): Wire | undefined =>
  WIRES.find((wire) => (wire.addressed === undefined ? wire.path === path : wire.addressed(path, NO_QUERY) !== null));
