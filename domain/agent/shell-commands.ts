/** A simple command: words without quotes, redirections and leading assignments. */
export interface SimpleCommand {
  words: string[];
  /** It reads from a pipe, a file or a here-document. */
  hasInput: boolean;
}

/** A command follows these words. */
const BEFORE_COMMAND = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', '}', 'time', 'coproc']);
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;
const REDIRECTION = /^(?:<<<|<<-|<<|<>|<&|<\(|<|&>>|&>|>>|>\||>&|>\(|>)/;
/** Text that only the shell knows, such as a substitution's output; equals no name. */
const UNKNOWN = '\u0001';
/** Deeper than any command that people write; not examined. */
const MAX_DEPTH = 100;

/**
 * The simple commands of a bash script, also in substitutions, subshells and functions, without
 * here-documents. For policies: it skips what it cannot follow and never fails.
 */
export function simpleCommands(script: string): SimpleCommand[] {
  const reader: Reader = { script, at: 0, found: [], heredocs: [] };
  while (reader.at < script.length) readList(reader, null, 0);
  return reader.found;
}

interface Reader {
  readonly script: string;
  at: number;
  readonly found: SimpleCommand[];
  /** Their texts begin after this line. */
  readonly heredocs: { delimiter: string; stripTabs: boolean }[];
}

function readList(reader: Reader, close: ')' | '`' | null, depth: number): void {
  const list = new CommandList(reader, depth);
  while (reader.at < reader.script.length) {
    const c = reader.script[reader.at]!;
    if (c === close) {
      reader.at += 1;
      break;
    }
    list.read(c);
  }
  list.endCommand();
}

class CommandList {
  #words: string[] = [];
  #word: string | null = null;
  #hasInput = false;
  /** Within `[[ … ]]`, whose signs separate nothing. */
  #inTest = false;
  #target: 'file' | 'heredoc' | 'heredoc-tabs' | null = null;

  constructor(
    private readonly reader: Reader,
    private readonly depth: number,
  ) {}

  /** Reads what begins with `c`, the next character. */
  read(c: string): void {
    const { reader } = this;
    const { script, at } = reader;
    if (c === '\n') {
      reader.at += 1;
      this.endCommand();
      skipHeredocs(reader);
    } else if (c === ' ' || c === '\t' || c === '\r') {
      this.#endWord();
      reader.at += 1;
    } else if (script.startsWith('\\\n', at)) reader.at += 2;
    else if ('\\\'"$`'.includes(c)) this.#extend(expanded(reader, c, this.depth));
    else if (c === '#' && this.#word === null) skipTo(reader, '\n');
    else if (this.#inTest && '&|()<>'.includes(c)) {
      this.#endWord();
      reader.at += 1;
    } else if (c === ';' || c === '|' || (c === '&' && script[at + 1] !== '>')) this.#separator(c);
    else if (c === '(') this.#bracket();
    else if (c === ')') {
      // No open bracket: a pattern of `case`.
      reader.at += 1;
      this.#drop();
    } else if (c === '<' || c === '>' || c === '&') this.#redirection(c);
    else {
      this.#extend(c);
      reader.at += 1;
    }
  }

  endCommand(nextHasInput = false): void {
    this.#endWord();
    this.#target = null;
    const words = commandWords(this.#words);
    if (words.length > 0) this.reader.found.push({ words, hasInput: this.#hasInput });
    this.#words = [];
    this.#inTest = false;
    this.#hasInput = nextHasInput;
  }

  #extend(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === null) return;
    if (word === '[[' || word === ']]') this.#inTest = word === '[[';
    if (this.#target === null) this.#words.push(word);
    else if (this.#target !== 'file')
      this.reader.heredocs.push({ delimiter: word, stripTabs: this.#target === 'heredoc-tabs' });
    this.#target = null;
    this.#word = null;
  }

  /** Not a command. */
  #drop(): void {
    this.#words = [];
    this.#word = null;
    this.#inTest = false;
    this.#hasInput = false;
  }

  /** `;`, `&`, `&&`, `|`, `||`, `|&`. */
  #separator(c: string): void {
    const { reader } = this;
    const next = reader.script[reader.at + 1];
    reader.at += (c !== ';' && next === c) || (c === '|' && next === '&') ? 2 : 1;
    this.endCommand(c === '|' && next !== '|');
  }

  /** A subshell, an arithmetic command, an array, a function's name, or a pattern. */
  #bracket(): void {
    const { reader } = this;
    reader.at += 1;
    if (this.#word !== null && ASSIGNMENT.test(this.#word)) skipBalanced(reader, '(', ')');
    else if (this.#word !== null || commandWords(this.#words).length > 0) {
      skipBalanced(reader, '(', ')');
      this.#drop();
    } else if (reader.script[reader.at] === '(') skipArithmetic(reader, 1);
    else if (this.depth < MAX_DEPTH) readList(reader, ')', this.depth + 1);
  }

  #redirection(c: string): void {
    const { reader } = this;
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null;
    this.#endWord();
    const operator = REDIRECTION.exec(reader.script.slice(reader.at, reader.at + 3))?.[0] ?? c;
    reader.at += operator.length;
    if (operator.endsWith('(')) {
      if (this.depth < MAX_DEPTH) readList(reader, ')', this.depth + 1);
      this.#word = UNKNOWN;
      return;
    }
    if (operator.startsWith('<')) this.#hasInput = true;
    this.#target = operator === '<<' ? 'heredoc' : operator === '<<-' ? 'heredoc-tabs' : 'file';
  }
}

/** The word's text for an escape, a quotation or a substitution that begins with `c`. */
function expanded(reader: Reader, c: string, depth: number): string {
  const { script, at } = reader;
  if (c === '\\') {
    reader.at += 2;
    return script[at + 1] ?? '';
  }
  if (c === "'") {
    reader.at += 1;
    skipTo(reader, "'");
    const text = script.slice(at + 1, reader.at);
    if (reader.at < script.length) reader.at += 1;
    return text;
  }
  if (c === '"') {
    reader.at += 1;
    return doubleQuoted(reader, depth);
  }
  if (c === '$' && script[at + 1] === "'") {
    const quoted = /^\$'((?:[^'\\]|\\[^])*)'?/.exec(script.slice(at))!;
    reader.at += quoted[0].length;
    return quoted[1] ?? '';
  }
  return substitution(reader, depth);
}

function doubleQuoted(reader: Reader, depth: number): string {
  const { script } = reader;
  let text = '';
  while (reader.at < script.length && script[reader.at] !== '"') {
    const c = script[reader.at]!;
    if (c === '\\') {
      text += script[reader.at + 1] ?? '';
      reader.at += 2;
    } else if (c === '$' || c === '`') text += substitution(reader, depth);
    else {
      text += c;
      reader.at += 1;
    }
  }
  reader.at += 1;
  return text;
}

/** After a `$` or a backtick: reads its commands. Returns the word's text; its value is unknown. */
function substitution(reader: Reader, depth: number): string {
  const { script } = reader;
  const opening = script[reader.at];
  reader.at += 1;
  if (depth >= MAX_DEPTH) return UNKNOWN;
  const next = script[reader.at];
  if (opening === '`') readList(reader, '`', depth + 1);
  else if (script.startsWith('((', reader.at)) skipArithmetic(reader, 2);
  else if (next === '(') {
    reader.at += 1;
    readList(reader, ')', depth + 1);
  } else if (next === '{') {
    reader.at += 1;
    skipBalanced(reader, '{', '}');
  } else return '$';
  return UNKNOWN;
}

function skipTo(reader: Reader, sign: string): void {
  const next = reader.script.indexOf(sign, reader.at);
  reader.at = next === -1 ? reader.script.length : next;
}

function skipHeredocs(reader: Reader): void {
  const { script } = reader;
  for (const { delimiter, stripTabs } of reader.heredocs.splice(0)) {
    while (reader.at < script.length) {
      const begin = reader.at;
      skipTo(reader, '\n');
      const line = script.slice(begin, reader.at);
      if (reader.at < script.length) reader.at += 1;
      if ((stripTabs ? line.replace(/^\t+/, '') : line) === delimiter) break;
    }
  }
}

/** Skips `((…))`; `brackets`: how many are still to come. */
function skipArithmetic(reader: Reader, brackets: number): void {
  reader.at += brackets;
  skipBalanced(reader, '(', ')');
  if (reader.script[reader.at] === ')') reader.at += 1;
}

/** Skips to the matching bracket, outside quotes. */
function skipBalanced(reader: Reader, open: string, close: string): void {
  const { script } = reader;
  for (let depth = 1; reader.at < script.length && depth > 0; reader.at += 1) {
    const c = script[reader.at];
    if (c === '\\') reader.at += 1;
    else if (c === "'") {
      reader.at += 1;
      skipTo(reader, "'");
    } else if (c === open) depth += 1;
    else if (c === close) depth -= 1;
  }
}

/** Without leading keywords, assignments and `function name {`. */
function commandWords(words: readonly string[]): string[] {
  const rest = [...words];
  for (;;) {
    const [first] = rest;
    if (first === undefined) return rest;
    if (first === 'function') rest.splice(0, 2);
    else if (BEFORE_COMMAND.has(first) || ASSIGNMENT.test(first)) rest.shift();
    else return rest;
  }
}
