/** A simple command of a shell script: its words without quotes, redirections and assignments before it. */
export interface SimpleCommand {
  words: string[];
  /** It reads from a pipe, a file or a here-document. */
  hasInput: boolean;
}

/** Words that open or continue a construct; a command follows. */
const BEFORE_COMMAND = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', '}', 'time', 'coproc']);
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;
/** Stands for text that only the shell knows, such as the output of a substitution: equal to no name. */
const UNKNOWN = '\u0001';
/** Deeper nesting than any command that a person writes; what lies deeper is not looked at. */
const MAX_DEPTH = 100;

/**
 * The simple commands of a bash script, also those in substitutions, subshells and functions, without the text of here-documents.
 * A reader for policies, not a shell: what it cannot follow it skips, and it never fails.
 */
export function simpleCommands(script: string): SimpleCommand[] {
  const found: SimpleCommand[] = [];
  const heredocs: { delimiter: string; stripTabs: boolean }[] = [];
  let at = 0;

  function skipHeredocs(): void {
    for (const { delimiter, stripTabs } of heredocs.splice(0)) {
      while (at < script.length) {
        const end = script.indexOf('\n', at);
        const line = script.slice(at, end === -1 ? script.length : end);
        at = end === -1 ? script.length : end + 1;
        if ((stripTabs ? line.replace(/^\t+/, '') : line) === delimiter) break;
      }
    }
  }

  /** Past the end of a bracket that was opened before `at`; quotes in between are respected. */
  function skipBalanced(open: string, close: string): void {
    for (let depth = 1; at < script.length && depth > 0; at += 1) {
      const c = script[at];
      if (c === '\\') at += 1;
      else if (c === "'") {
        const end = script.indexOf("'", at + 1);
        at = end === -1 ? script.length : end;
      } else if (c === open) depth += 1;
      else if (c === close) depth -= 1;
    }
  }

  /** What follows a `$` or a backtick at `at`: its commands are read, its value is unknown. Returns the text for the word. */
  function substitution(depth: number): string {
    if (depth >= MAX_DEPTH) {
      at += 1;
      return UNKNOWN;
    }
    if (script[at] === '`') {
      at += 1;
      list('`', depth + 1);
      return UNKNOWN;
    }
    at += 1;
    if (script.startsWith('((', at)) {
      at += 2;
      skipBalanced('(', ')');
      if (script[at] === ')') at += 1;
      return UNKNOWN;
    }
    if (script[at] === '(') {
      at += 1;
      list(')', depth + 1);
      return UNKNOWN;
    }
    if (script[at] === '{') {
      at += 1;
      skipBalanced('{', '}');
      return UNKNOWN;
    }
    return '$';
  }

  function doubleQuoted(depth: number): string {
    let text = '';
    while (at < script.length && script[at] !== '"') {
      const c = script[at]!;
      if (c === '\\') {
        text += script[at + 1] ?? '';
        at += 2;
      } else if (c === '$' || c === '`') text += substitution(depth);
      else {
        text += c;
        at += 1;
      }
    }
    at += 1;
    return text;
  }

  /** Commands up to a closing character, or to the end. */
  function list(close: ')' | '`' | null, depth: number): void {
    let words: string[] = [];
    let word: string | null = null;
    let hasInput = false;
    /** Within `[[ … ]]`, whose signs separate nothing. */
    let inTest = false;
    /** The next word is the target of a redirection. */
    let target: 'file' | 'heredoc' | 'heredoc-tabs' | null = null;

    const endWord = (): void => {
      if (word === null) return;
      if (word === '[[' || word === ']]') inTest = word === '[[';
      if (target === null) words.push(word);
      else if (target !== 'file') heredocs.push({ delimiter: word, stripTabs: target === 'heredoc-tabs' });
      target = null;
      word = null;
    };
    const endCommand = (nextHasInput = false): void => {
      endWord();
      target = null;
      const rest = commandWords(words);
      if (rest.length > 0) found.push({ words: rest, hasInput });
      words = [];
      inTest = false;
      hasInput = nextHasInput;
    };
    const drop = (): void => {
      words = [];
      word = null;
      inTest = false;
      hasInput = false;
    };

    while (at < script.length) {
      const c: string = script[at]!;
      if (c === close) {
        at += 1;
        break;
      }
      if (c === '\n') {
        at += 1;
        endCommand();
        skipHeredocs();
      } else if (c === ' ' || c === '\t' || c === '\r') {
        endWord();
        at += 1;
      } else if (c === '\\') {
        if (script[at + 1] !== '\n') word = (word ?? '') + (script[at + 1] ?? '');
        at += 2;
      } else if (c === "'") {
        const end = script.indexOf("'", at + 1);
        word = (word ?? '') + script.slice(at + 1, end === -1 ? script.length : end);
        at = end === -1 ? script.length : end + 1;
      } else if (c === '"') {
        at += 1;
        word = (word ?? '') + doubleQuoted(depth);
      } else if (c === '$' || c === '`') {
        if (c === '$' && script[at + 1] === "'") {
          const quoted = /^\$'((?:[^'\\]|\\[^])*)'?/.exec(script.slice(at))!;
          at += quoted[0].length;
          word = (word ?? '') + (quoted[1] ?? '');
        } else word = (word ?? '') + substitution(depth);
      } else if (c === '#' && word === null) {
        const end = script.indexOf('\n', at);
        at = end === -1 ? script.length : end;
      } else if (inTest && '&|()<>'.includes(c)) {
        endWord();
        at += 1;
      } else if (c === ';') {
        at += 1;
        endCommand();
      } else if (c === '&' && script[at + 1] !== '>') {
        at += script[at + 1] === '&' ? 2 : 1;
        endCommand();
      } else if (c === '|') {
        const or = script[at + 1] === '|';
        at += or || script[at + 1] === '&' ? 2 : 1;
        endCommand(!or);
      } else if (c === '(') {
        at += 1;
        if (word !== null && ASSIGNMENT.test(word)) {
          skipBalanced('(', ')');
        } else if (word !== null || commandWords(words).length > 0) {
          // The name of a function, or a pattern.
          skipBalanced('(', ')');
          drop();
        } else if (script[at] === '(') {
          at += 1;
          skipBalanced('(', ')');
          if (script[at] === ')') at += 1;
        } else if (depth < MAX_DEPTH) list(')', depth + 1);
      } else if (c === ')') {
        // No bracket is open: a pattern of `case`.
        at += 1;
        drop();
      } else if (c === '<' || c === '>' || c === '&') {
        if (word !== null && /^\d+$/.test(word)) word = null;
        endWord();
        const operator = /^(?:<<<|<<-|<<|<>|<&|<\(|<|&>>|&>|>>|>\||>&|>\(|>)/.exec(script.slice(at, at + 3))?.[0] ?? c;
        at += operator.length;
        if (operator.endsWith('(')) {
          if (depth < MAX_DEPTH) list(')', depth + 1);
          word = UNKNOWN;
          continue;
        }
        if (operator.startsWith('<')) hasInput = true;
        target = operator === '<<' ? 'heredoc' : operator === '<<-' ? 'heredoc-tabs' : 'file';
      } else {
        word = (word ?? '') + c;
        at += 1;
      }
    }
    endCommand();
  }

  while (at < script.length) list(null, 0);
  return found;
}

/** Without what stands before the command itself: keywords, assignments, `function name {`. */
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
