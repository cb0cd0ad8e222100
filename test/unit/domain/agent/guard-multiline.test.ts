import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { guardMultiline } from '../../../../domain/agent/guard-multiline.js';
import { forAll } from './generate.js';

const commands = [
  { name: 'edit', endName: 'end_of_edit' },
  { name: 'insert', endName: 'end_of_insert' },
  { name: 'open' },
];
const guard = (action: string) => guardMultiline(action, commands);
const script = (action: string): string => {
  const guarded = guard(action);
  if (guarded.kind !== 'script') throw new Error(guarded.message);
  return guarded.script;
};

/** Bash's result of the script; `edit` and `insert` print their arguments and input. */
const played = (action: string): string =>
  execFileSync('bash', ['-c', `edit() { echo "E($*)"; cat; }\ninsert() { echo "I($*)"; cat; }\n${script(action)}`], {
    encoding: 'utf8',
  });

describe('guardMultiline', () => {
  it('puts the text into a quoted here-document', () =>
    expect(script('edit 1:2\nx = "$HOME" `a` it\'s\nend_of_edit')).toBe(
      "edit <<'end_of_edit' 1:2\nx = \"$HOME\" `a` it's\nend_of_edit\n",
    ));

  it.each<[string, string, string]>([
    ['a text that is shell', 'edit 1:2\n$(exit) "\n\\\nend_of_edit', 'E(1:2)\n$(exit) "\n\\\n'],
    ['no text', 'edit 3:3\nend_of_edit\n', 'E(3:3)\n'],
    ['blank lines before', '\n\nedit 1:1\na\nend_of_edit', 'E(1:1)\na\n'],
    ['blank lines in the text', 'insert 0\n\na\n\nend_of_insert', 'I(0)\n\na\n\n'],
    ['commands before and after', 'echo one\nedit 1:1\na\nend_of_edit\necho two', 'one\nE(1:1)\na\ntwo\n'],
    ['several', 'edit 1:1\na\nend_of_edit\ninsert 2\nb\nend_of_insert\n', 'E(1:1)\na\nI(2)\nb\n'],
    ['two on a line', 'edit 1:1; insert 2\na\nend_of_edit\nb\nend_of_insert', 'E(1:1)\na\nI(2)\nb\n'],
    ['one after another command', 'true && edit 1:1 && echo done\na\nend_of_edit', 'E(1:1)\na\ndone\n'],
    ['one in a branch', 'if true; then\n  edit 1:1\na\nend_of_edit\nfi', 'E(1:1)\na\n'],
    ['one in a subshell', '(cd /; edit 1:1\na\nend_of_edit\n)', 'E(1:1)\na\n'],
    ['a comment behind it', 'edit 1:1 # with < and "\na\nend_of_edit', 'E(1:1)\na\n'],
    ['a continued line', 'edit \\\n1:1\na\nend_of_edit', 'E(1:1)\na\n'],
    [
      'the end word within a line',
      'edit 1:1\n# end_of_edit here\nend_of_edit_2\nend_of_edit',
      'E(1:1)\n# end_of_edit here\nend_of_edit_2\n',
    ],
    ['the end word of the other', 'edit 1:1\nend_of_insert\nend_of_edit', 'E(1:1)\nend_of_insert\n'],
    ['an edit within an edit', 'edit 1:1\nedit 2:2\nend_of_edit', 'E(1:1)\nedit 2:2\n'],
    ['blanks around the end word', 'edit 1:1\na\n  end_of_edit  \necho on', 'E(1:1)\na\non\n'],
    ['CRLF', 'edit 1:1\r\na\r\nend_of_edit\r\necho on', 'E(1:1)\na\non\n'],
    ['CRLF in the text only', 'edit 1:1\na\r\nend_of_edit', 'E(1:1)\na\r\n'],
    ['quotes before', 'echo "a $(echo "b") c" \'d\' `echo e`\nedit 1:1\na\nend_of_edit', 'a b c d e\nE(1:1)\na\n'],
    ['a here-document before', "cat <<'X'\nedit 5:5\nX\nedit 1:1\na\nend_of_edit", 'edit 5:5\nE(1:1)\na\n'],
    ['a here-document on its line', 'cat <<X; edit 1:1\nb\nX\na\nend_of_edit', 'b\nE(1:1)\na\n'],
    ['shifts before', 'echo $((1 << 3))\nedit 1:1\na\nend_of_edit', '8\nE(1:1)\na\n'],
    ['a comment with a quote before', "# it's\nedit 1:1\na\nend_of_edit", 'E(1:1)\na\n'],
  ])('guards %s', (_, action, shown) => expect(played(action)).toBe(shown));

  it.each([
    ['one that has its here-document', "edit 1:1 <<'end_of_edit'\na\nend_of_edit\n"],
    ['one with another here-document', 'edit 1:1 <<EOF\na\nEOF\n'],
    ['one behind a pipe', 'echo a | edit 1:1\n'],
    ['one with a here-string', 'edit 1:1 <<< "a"\n'],
    ['one in quotes', 'echo "\nedit 1:1\n"'],
    ['one in single quotes', "python3 -c '\nedit = 1\nedit 1:1\n'"],
    ['one in a here-document', 'cat <<EOF > a.md\nedit 1:2\nEOF\n'],
    ['one in a here-document with tabs', 'cat <<-EOF\n\tedit 1:2\n\tEOF\n'],
    ['a word that begins like it', 'edit_all 1:2\neditor\n'],
    ['its name as an operand', 'echo edit 1:2\nman edit\n'],
    ['a function of the model', 'edit() {\n  echo mine\n}\n'],
    ['a question for its use', 'edit --help\n'],
    ['a comment', '# edit 1:2\n'],
    ['nothing', ''],
  ])('leaves %s alone', (_, action) => expect(script(action)).toBe(action));

  it.each([
    ['without an end', 'edit 1:2\nrm -rf .\n'],
    ['without anything', 'edit 5:26'],
    ['with the end word behind the text', 'edit 1:2\nx end_of_edit\n'],
    ['after other commands', 'ls\nedit 1:1\na\nend_of_edit\nedit 3:4\nb\n'],
    ['with the end of the other', 'edit 1:1\na\nend_of_insert\n'],
  ])('runs nothing of an edit %s, and names the end word', (_, action) => {
    const guarded = guard(action);
    expect(guarded.kind === 'malformed' && guarded.message).toContain('end_of_edit');
  });

  it.each([
    ['python', /marked python, and bash runs the blocks\. To run it: python3 - <<'EOF'/],
    ['Rust', /marked Rust, .* To write it to a file: cat > <file> <<'EOF'/],
  ])('runs nothing of a block in %s, and says how to', (language, message) => {
    for (const guarded of [guard, (action: string) => guardMultiline(action, [])]) {
      const refused = guarded(`\`\`\`${language}\nimport os\n\`\`\``);
      expect(refused.kind === 'malformed' && refused.message).toMatch(message);
    }
  });

  it('changes nothing where no command of several lines is called', () =>
    forAll(500, (generate) => {
      const action = generate.text(['ls', ' ', '\n', ';', '(', ')', '"', "'", '`', '$(', '<<EOF', '\nEOF\n', '#'], 20);
      expect(script(action)).toBe(action);
    }));
  it('changes nothing that it has guarded', () =>
    forAll(500, (generate) => {
      const text = generate.text(['a', ' ', '"', "'", '`', '$', '<<X', '(', '\n', 'edit 1:1'], 12);
      const once = script(`ls\nedit 1:2\n${text}\nend_of_edit\ninsert 3\n${text}\nend_of_insert\n`);
      expect(script(once)).toBe(once);
    }));
  it('ends soon for every text', () => {
    for (const piece of ['edit 1:1\n', 'edit ;', "edit '", '$((', '"`', '${"', 'cat <<X\n', "'\nedit\n"])
      guard(piece.repeat(50_000));
  });
});
