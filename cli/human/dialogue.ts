import type { Said } from '../../domain/agent/encode-reply-as.js';
import type { CommandDoc } from '../../domain/agent/command-doc.js';

export interface DialogueOptions {
  /** Ask for a thought first, ended by END_THOUGHT. */
  thoughts: boolean;
  /** Replies are sent as typed, ended by `:send`, and may be in the wrong form. */
  raw: boolean;
  /** The agent's special commands: some go on until a line of their own. */
  commands: readonly CommandDoc[];
}

/** What a line that begins with a colon can ask of the terminal itself. */
const META_COMMANDS = ['help', 'history', 'quit'] as const;
type MetaCommand = (typeof META_COMMANDS)[number];

/** What came of a line. */
export type Heard =
  | { kind: 'more' }
  | { kind: 'said'; said: Said }
  | { kind: 'raw'; text: string }
  | { [Name in MetaCommand]: { kind: Name } }[MetaCommand];

const END_THOUGHT = 'END_THOUGHT';
const START_LINES = 'start_multiline_command';
const END_LINES = 'end_multiline_command';
const MORE: Heard = { kind: 'more' };

type State =
  | { at: 'thought'; lines: string[] }
  | { at: 'command' }
  /** Lines up to `end`, which belongs to the command or only ends it. */
  | { at: 'lines'; lines: string[]; end: string; keepEnd: boolean; indented: boolean }
  | { at: 'continued'; lines: string[] }
  | { at: 'raw'; lines: string[] };

/** The delimiter of a here-document that this line opens, if it does. */
function hereDocument(line: string): { end: string; indented: boolean } | null {
  const match = /(?<!<)<<(-?)[ \t]*(?:'([^']+)'|"([^"]+)"|\\?([A-Za-z_]\w*))/.exec(line);
  const end = match?.[2] ?? match?.[3] ?? match?.[4];
  return end === undefined ? null : { end, indented: match?.[1] === '-' };
}

/** From typed lines to one reply: pure, so that a terminal, a pipe and a test can feed it alike. One per question. */
export class Dialogue {
  readonly #options: DialogueOptions;
  #thought = '';
  #state: State = { at: 'command' };

  constructor(options: DialogueOptions) {
    this.#options = options;
    this.#begin();
  }

  #begin(): void {
    this.#thought = '';
    if (this.#options.raw) this.#state = { at: 'raw', lines: [] };
    else this.#state = this.#options.thoughts ? { at: 'thought', lines: [] } : { at: 'command' };
  }

  /** What stands before the next line. */
  get prompt(): string {
    switch (this.#state.at) {
      case 'thought':
        return 'thought> ';
      case 'command':
        return '> ';
      case 'raw':
        return 'raw> ';
      default:
        return '... ';
    }
  }

  hear(line: string): Heard {
    const state = this.#state;
    if (line.trim() === ':cancel') {
      this.#begin();
      return MORE;
    }
    switch (state.at) {
      case 'thought':
        if (line.trim() === END_THOUGHT) {
          this.#thought = state.lines.join('\n').trim();
          this.#state = { at: 'command' };
          return MORE;
        }
        return state.lines.length === 0
          ? (this.#meta(line) ?? this.#keep(state.lines, line))
          : this.#keep(state.lines, line);
      case 'raw':
        if (line.trim() === ':send') return this.#done({ kind: 'raw', text: state.lines.join('\n') });
        return state.lines.length === 0
          ? (this.#meta(line) ?? this.#keep(state.lines, line))
          : this.#keep(state.lines, line);
      case 'command':
        return this.#command(line);
      case 'continued':
        state.lines.push(line);
        return line.endsWith('\\') ? MORE : this.#say(state.lines);
      case 'lines':
        if ((state.indented ? line.replace(/^\t+/, '') : line.trimEnd()) !== state.end)
          return this.#keep(state.lines, line);
        return this.#say(state.keepEnd ? [...state.lines, state.end] : state.lines);
    }
  }

  #keep(lines: string[], line: string): Heard {
    lines.push(line);
    return MORE;
  }

  #meta(line: string): Heard | null {
    const name = META_COMMANDS.find((one) => line.trim() === `:${one}`);
    return name === undefined ? null : { kind: name };
  }

  #command(line: string): Heard {
    const word = line.trim().split(/\s+/)[0] ?? '';
    if (word === '') return MORE;
    const meta = this.#meta(line);
    if (meta !== null) return meta;
    const until = (end: string, lines: string[], keepEnd: boolean, indented = false): Heard => {
      this.#state = { at: 'lines', lines, end, keepEnd, indented };
      return MORE;
    };
    if (line.trim() === ':raw') {
      this.#state = { at: 'raw', lines: [] };
      return MORE;
    }
    if (line.trim() === START_LINES) return until(END_LINES, [], false);
    const several = this.#options.commands.find((command) => command.name === word && command.endName !== undefined);
    if (several?.endName !== undefined) return until(several.endName, [line], true);
    const document = hereDocument(line);
    if (document !== null) return until(document.end, [line], true, document.indented);
    if (line.endsWith('\\')) {
      this.#state = { at: 'continued', lines: [line] };
      return MORE;
    }
    return this.#say([line]);
  }

  #say(lines: readonly string[]): Heard {
    const action = lines.join('\n');
    if (action.trim() === '') {
      this.#state = { at: 'command' };
      return MORE;
    }
    return this.#done({ kind: 'said', said: { thought: this.#thought, action } });
  }

  #done(heard: Heard): Heard {
    this.#begin();
    return heard;
  }
}
