import { describe, expect, it } from 'vitest';
import { blockedCommand } from '../../../../domain/agent/blocklist.js';
import { DEFAULT_BLOCKLIST, DEFAULT_BLOCKLIST_STANDALONE } from '../../../../domain/agent/config.js';
import { simpleCommands } from '../../../../domain/agent/shell-commands.js';
import { forAll } from './generate.js';

const lists = { blocklist: DEFAULT_BLOCKLIST, blocklistStandalone: DEFAULT_BLOCKLIST_STANDALONE };
const blocked = (action: string) => blockedCommand(action, lists)?.command ?? null;

describe('blockedCommand', () => {
  it.each([
    ['vim a.py', 'vim'],
    ['  nano', 'nano'],
    ['cd src && vim a.py', 'vim'],
    ['cd src;git log', 'git'],
    ['ls | vi -', 'vi'],
    ['ls &\nemacs', 'emacs'],
    ['false || git status', 'git'],
    ['if true; then git init; fi', 'git'],
    ['for f in *; do vim "$f"; done', 'vim'],
    ['(cd src; git diff)', 'git'],
    ['if (git diff); then ls; fi', 'git'],
    ['{ git diff; }', 'git'],
    ['! git diff', 'git'],
    ['echo $(git log)', 'git'],
    ['echo "in quotes: $(git log)"', 'git'],
    ['echo `git log`', 'git'],
    ['diff <(git show) a', 'git'],
    ['EDITOR=x A="b c" vim a', 'vim'],
    ['"vim" a', 'vim'],
    ["v'i'm a", 'vim'],
    ['\\vim a', 'vim'],
    ['/usr/bin/vim a', '/usr/bin/vim'],
    ['sudo -u root vim a', 'vim'],
    ['env A=1 git log', 'git'],
    ['timeout -s KILL 5 git log', 'git'],
    ['nohup python train.py &', 'nohup'],
    ['2>/dev/null git log', 'git'],
    ['git log > out', 'git'],
    ['cat <<EOF\nx\nEOF\ngit log', 'git'],
    ['f() { git log; }', 'git'],
    ['case $x in a) git log;; esac', 'git'],
    ['python', 'python'],
    ['cd src && python3', 'python3'],
    ['bash\n', 'bash'],
    ['/bin/sh', '/bin/sh'],
    ['/usr/bin/python3', '/usr/bin/python3'],
    ['sudo su', 'su'],
    ['python > out.txt', 'python'],
    ['ls \\\n && vim', 'vim'],
  ])('refuses %j', (action, command) => expect(blocked(action)).toBe(command));

  it.each([
    'vimdiff a b',
    'gitignore',
    'v',
    'echo vim',
    'echo "a; vim b"',
    "grep 'git' README",
    'ls # vim',
    'cat > notes.md <<EOF\nvim\ngit push\nEOF',
    "python - <<'EOF'\nimport git\ngit\nEOF",
    'cat <<-\tEOF\n\tgit log\n\tEOF\nls',
    'python train.py',
    'python -c "print(1)"',
    'python <script.py',
    'python <<< "print(1)"',
    'echo "print(1)" | python',
    'bash run.sh',
    'cd x || exit',
    'exit',
    'command -v git',
    'A=vim',
    'tools=(vim git)',
    'case $x in\n vim) echo editor;;\n git) echo history;;\nesac',
    '[[ -f a && vim == "$x" ]]',
    '(( git > 3 ))',
    'echo $((vim + 1)) ${git:-vim}',
    'vim() { echo no editor; }',
    'for git in a b; do echo "$git"; done',
    'pip install gitpython',
    'ls 2>&1 | tee git',
    'cat < git',
    "echo $'it\\'s git'; ls",
    '',
    '\n',
  ])('lets %j pass', (action) => expect(blocked(action)).toBeNull());

  it('does not look into the text of a command of several lines', () => {
    const edit = { name: 'edit', docstring: 'Edit.', endName: 'end_of_edit', arguments: [] };
    const action = 'edit 1:2\nvim\nimport git\ngit\nend_of_edit\nls';
    expect(blockedCommand(action, lists, [edit])).toBeNull();
    expect(blockedCommand(`${action}; git log`, lists, [edit])?.command).toBe('git');
    expect(blockedCommand(action, lists)?.command).toBe('vim');
  });

  it('blocks nothing with empty lists', () =>
    expect(blockedCommand('vim', { blocklist: [], blocklistStandalone: [] })).toBeNull());

  it('ends for every text', () => {
    const pieces = [
      'vim',
      ' ',
      '\n',
      ';',
      '(',
      ')',
      '{',
      '}',
      '"',
      "'",
      '`',
      '$(',
      '${',
      '$((',
      '<<EOF',
      '\nEOF\n',
      '\\',
      '&',
      '|',
      '#',
      '[[',
      '<(',
      '=(',
      "$'",
    ];
    forAll(2000, (generate) => void blocked(generate.text(pieces, 30)));
    expect(() => blocked('$('.repeat(100_000))).not.toThrow();
    expect(() => blocked('"`'.repeat(100_000))).not.toThrow();
  });
});

describe('simpleCommands', () => {
  it('gives the words of each command and whether it is fed', () =>
    expect(simpleCommands('A=1 sort -k "1 2" < in | uniq > out; echo done')).toEqual([
      { words: ['sort', '-k', '1 2'], hasInput: true },
      { words: ['uniq'], hasInput: true },
      { words: ['echo', 'done'], hasInput: false },
    ]));
});
