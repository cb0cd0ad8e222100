import type { CommandDoc } from './command-line.js';
import { foreignBlockProblem } from './foreign-block.js';

/** A multiline command: `edit 1:2`, its text, and a line with only `end_of_edit`. */
type SeveralLines = Pick<CommandDoc, 'name' | 'endName'>;

export type GuardedAction =
  /** For bash: the commands' texts are quoted here-documents, so data whatever they contain. */
  | { kind: 'script'; script: string }
  /**
   * A command has no end, or the action is a block in another language: nothing may run.
   * `message` is for the model.
   */
  /** The missing last word of a command's text. */
  | { kind: 'malformed'; message: string; endName?: string };

/** A here-document, ours or the model's, whose text begins after this line. */
type Pending = { kind: 'document'; delimiter: string; tabs: boolean } | { kind: 'text'; name: string; endName: string };

/** An open quote, substitution or bracket. `$'`: with escapes; `((`: `<<` shifts there. */
type Context = "'" | "$'" | '"' | '`' | '(' | '((' | '${';

/** A command still follows these words. */
const BEFORE_COMMAND = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', 'time']);
const WORD = /[^\s;&|<>()'"`$\\]+/y;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const BOUNDARY = /[\s;&|<>]|$/y;
/** A command's words up to its end or its redirected input. */
const OPERANDS = /(?:>&|&>|[^\n;&|<#'"\\]|(?<=\S)#|'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^])*/y;
const DELIMITER = /<<(-?)[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)/y;
/** Prints help and reads no text. */
const ASKS_FOR_HELP = /[ \t]+(?:-h|--help)[ \t\r]*(?:\n|$)/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Reads quotes and here-documents of a script in one pass and rewrites it with guards. */
class Guard {
  readonly #text: string;
  readonly #endNames: ReadonlyMap<string, string>;
  readonly #open: Context[] = [];
  #pending: Pending[] = [];
  #written = '';
  /** Already written up to here. */
  #copied = 0;
  #at = 0;
  /** A command may begin here. */
  #expecting = true;
  #piped = false;

  constructor(text: string, endNames: ReadonlyMap<string, string>) {
    this.#text = text;
    this.#endNames = endNames;
  }

  read(): GuardedAction {
    while (this.#at < this.#text.length) {
      const context = this.#open.at(-1);
      if (context === "'" || context === "$'" || context === '"' || context === '${') this.#quoted(context);
      else if (context === '((') this.#arithmetic();
      else {
        const missing = this.#code(context);
        if (missing !== null) return malformed(missing);
      }
    }
    const missing = this.#pending.find((pending) => pending.kind === 'text');
    if (missing !== undefined) return malformed(missing);
    return { kind: 'script', script: this.#written + this.#text.slice(this.#copied) };
  }

  #enter(context: Context, length: number): void {
    this.#open.push(context);
    this.#at += length;
  }

  #opensSubstitution(): boolean {
    const { here, text } = this.#here();
    if (here === '`') this.#enter('`', 1);
    else if (text.startsWith('$((', this.#at)) {
      this.#open.push('((');
      this.#enter('((', 3);
    } else if (text.startsWith('$(', this.#at)) this.#enter('(', 2);
    else if (text.startsWith('${', this.#at)) {
      this.#enter('${', 2);
      return true;
    } else return false;
    this.#expecting = true;
    return true;
  }

  #here(): { here: string; text: string } {
    return { here: this.#text[this.#at] ?? '', text: this.#text };
  }

  #quoted(context: Context): void {
    const { here } = this.#here();
    const end = context === '${' ? '}' : context === "$'" ? "'" : context;
    if (here === '\\' && context !== "'") this.#at += 2;
    else if (here === end) {
      this.#open.pop();
      this.#at += 1;
    } else if (context === "'" || context === "$'" || !this.#opensSubstitution()) {
      if (context === '${' && (here === '"' || (here === "'" && this.#open.at(-2) !== '"'))) this.#enter(here, 1);
      else this.#at += 1;
    }
  }

  #arithmetic(): void {
    const { here } = this.#here();
    if (here === '(') this.#enter('((', 1);
    else {
      if (here === ')') this.#open.pop();
      this.#at += here === '\\' ? 2 : 1;
    }
  }

  /** One token of a command. Returns the command whose text has no end. */
  #code(context: Context | undefined): Pending | null {
    const { here, text } = this.#here();
    if (here === '\n') {
      this.#at += 1;
      this.#nextCommand(false);
      return this.#documents();
    }
    if (here === ' ' || here === '\t' || here === '\r') this.#at += 1;
    else if (here === '\\') {
      // A continued line is still the same command.
      if (text[this.#at + 1] !== '\n') this.#expecting = false;
      this.#at += 2;
    } else if (here === '#' && /[\s;&|()]|^$/.test(text[this.#at - 1] ?? '')) {
      const end = text.indexOf('\n', this.#at);
      this.#at = end === -1 ? text.length : end;
    } else if (here === "'" || here === '"') {
      this.#expecting = false;
      this.#enter(here, 1);
    } else if (text.startsWith("$'", this.#at)) {
      this.#expecting = false;
      this.#enter("$'", 2);
    } else if (here === '`' && context === '`') {
      this.#open.pop();
      this.#at += 1;
      this.#expecting = false;
    } else if (this.#opensSubstitution()) return null;
    else if (here === '(') {
      if (text[this.#at + 1] === '(' && this.#expecting) {
        this.#open.push('((');
        this.#enter('((', 2);
      } else this.#enter('(', 1);
      this.#nextCommand(false);
    } else if (here === ')') {
      if (context === '(') this.#open.pop();
      this.#at += 1;
      this.#expecting = false;
    } else if (here === ';' || here === '|' || here === '&') {
      const or = text.startsWith('||', this.#at);
      this.#at += or || text.startsWith('&&', this.#at) ? 2 : 1;
      if (here !== '&' || !/[<>]/.test((text[this.#at - 2] ?? '') + (text[this.#at] ?? '')))
        this.#nextCommand(here === '|' && !or);
    } else if (here === '<' || here === '>') this.#redirection();
    else this.#word();
    return null;
  }

  #nextCommand(piped: boolean): void {
    this.#expecting = true;
    this.#piped = piped;
  }

  #redirection(): void {
    this.#expecting = false;
    const document = this.#text.startsWith('<<<', this.#at) ? null : matchAt(DELIMITER, this.#text, this.#at);
    if (document === null) {
      this.#at += this.#text.startsWith('<<<', this.#at) ? 3 : 1;
      return;
    }
    const delimiter = document[2]!.replace(/['"\\]/g, '');
    this.#pending.push({ kind: 'document', delimiter, tabs: document[1] === '-' });
    this.#at += document[0].length;
  }

  #word(): void {
    const word = matchAt(WORD, this.#text, this.#at)?.[0] ?? this.#text[this.#at]!;
    this.#at += word.length;
    if (!this.#expecting || BEFORE_COMMAND.has(word) || ASSIGNMENT.test(word)) return;
    this.#expecting = false;
    const endName = this.#endNames.get(word);
    if (endName === undefined || this.#piped || this.#hasInput()) return;
    // Directly after the name, where a redirection is always valid.
    this.#written += `${this.#text.slice(this.#copied, this.#at)} <<'${endName}'`;
    this.#copied = this.#at;
    this.#pending.push({ kind: 'text', name: word, endName });
  }

  /** No call of the command, or its text comes from elsewhere. */
  #hasInput(): boolean {
    if (matchAt(BOUNDARY, this.#text, this.#at) === null || matchAt(ASKS_FOR_HELP, this.#text, this.#at) !== null)
      return true;
    const operands = matchAt(OPERANDS, this.#text, this.#at)![0];
    return this.#text[this.#at + operands.length] === '<';
  }

  /** At the start of a line: read the pending here-documents. */
  #documents(): Pending | null {
    for (const pending of this.#pending.splice(0)) {
      const body = this.#at;
      const end = this.#skipTo(pending);
      if (pending.kind === 'document') continue;
      if (end === null) return pending;
      const line = this.#text.slice(this.#copied, body).replace(/\r\n$/, '\n');
      this.#written += `${line}${this.#text.slice(Math.max(body, this.#copied), end)}${pending.endName}\n`;
      this.#copied = this.#at;
    }
    return null;
  }

  /** Skip the document's last line; returns where that begins, or null if it is missing. */
  #skipTo(pending: Pending): number | null {
    while (this.#at < this.#text.length) {
      const begin = this.#at;
      const newline = this.#text.indexOf('\n', begin);
      const line = this.#text.slice(begin, newline === -1 ? undefined : newline);
      this.#at = newline === -1 ? this.#text.length : newline + 1;
      if (pending.kind === 'text' ? line.trim() === pending.endName : isDelimiter(line, pending)) return begin;
    }
    return null;
  }
}

const isDelimiter = (line: string, { delimiter, tabs }: { delimiter: string; tabs: boolean }): boolean =>
  (tabs ? line.replace(/^\t+/, '') : line).replace(/\r$/, '') === delimiter;

const malformed = (missing: Pending): GuardedAction => ({
  kind: 'malformed',
  message:
    missing.kind === 'text'
      ? `Nothing was run: \`${missing.name}\` has no end. Its text goes on the lines after it, and after the text comes a line that holds only ${missing.endName}`
      : 'Nothing was run: a here-document has no end',
  ...(missing.kind === 'text' && { endName: missing.endName }),
});

/**
 * Refuses blocks that no shell reads. Puts the texts of multiline commands (with `endName`) into
 * quoted here-documents, where bash would run the command and it has no other input. A text ends
 * at the first line with only `endName`. Linear in the action's length.
 */
export function guardMultiline(action: string, commands: readonly SeveralLines[]): GuardedAction {
  const foreign = foreignBlockProblem(action);
  if (foreign !== null) return { kind: 'malformed', message: foreign };
  // Bash does not know CRLF: if all lines end so, it is the sender's line end.
  const script = /(?:^|[^\r])\n/.test(action) ? action : action.replaceAll('\r\n', '\n');
  const endNames = new Map(
    commands.flatMap(({ name, endName }) => (endName === undefined ? [] : [[name, endName] as const])),
  );
  if (endNames.size === 0) return { kind: 'script', script };
  return new Guard(script, endNames).read();
}
