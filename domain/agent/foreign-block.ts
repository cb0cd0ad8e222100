/** Marks of code blocks that no shell reads, with the program that runs such code, if one does. */
const LANGUAGES: Readonly<Record<string, string | null>> = {
  ...{ python: 'python3', python3: 'python3', py: 'python3', ipython: 'python3' },
  ...{ javascript: 'node', js: 'node', node: 'node', perl: 'perl', ruby: 'ruby', r: 'Rscript', julia: 'julia' },
  ...{ typescript: null, ts: null, lua: null, php: null, sql: null, go: null, rust: null, java: null, kotlin: null },
  ...{ c: null, cpp: null, 'c++': null, cuda: null, csharp: null, 'c#': null, scala: null, swift: null, haskell: null },
  ...{ json: null, jsonl: null, yaml: null, yml: null, toml: null, ini: null, xml: null, html: null, css: null },
  ...{ diff: null, patch: null, markdown: null, md: null, latex: null, tex: null, csv: null },
  ...{ dockerfile: null, makefile: null, matlab: null, powershell: null, ps1: null, bat: null },
};

const MARKED = /^(`{3,})([^\s`]+)[ \t]*(?:\r?\n|$)/;

const isForeign = (language: string): boolean => Object.hasOwn(LANGUAGES, language.toLowerCase());

/**
 * The action of a block marked with a language: its text, but with its fences if no shell reads the
 * language. So it is recorded that nothing may run it. The name of a special command makes it one,
 * whatever the mark.
 */
export function actionOfBlock(
  { fence, language, text }: { fence: string; language: string; text: string },
  commands: readonly { name: string }[],
): string {
  const [first = ''] = text.trim().split(/\s+/, 1);
  if (text.trim() === '' || !isForeign(language) || commands.some(({ name }) => name === first)) return text;
  return `${fence}${language}\n${text}\n${fence}`;
}

/** For the model, where an action is a block that bash must not read; null: any other action. */
export function foreignBlockProblem(action: string): string | null {
  const language = MARKED.exec(action)?.[2];
  if (language === undefined || !isForeign(language)) return null;
  const program = LANGUAGES[language.toLowerCase()] ?? null;
  const how =
    program === null
      ? "To write it to a file: cat > <file> <<'EOF', then its lines, then a line with only EOF"
      : `To run it: ${program} - <<'EOF', then its lines, then a line with only EOF; or write it to a file and run that`;
  return `Nothing was run: the code block is marked ${language}, and bash runs the blocks. ${how}. A block of shell commands is marked bash, or not at all`;
}
