import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { completionScript } from '../../../cli/completion/scripts.js';
import { findProgram } from '../../setup/programs.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-completion-'));
afterAll(() => rmSync(dir, { recursive: true }));

// Answers as the program does, and keeps what it was asked.
writeFileSync(
  join(dir, 'bench'),
  `#!/bin/sh\nprintf '%s|' "$@" >${dir}/asked\nprintf 'o3,scripted:baseline\\tmodel\\n--backend=podman\\t\\n'\n`,
  { mode: 0o755 },
);
writeFileSync(join(dir, 'completion.zsh'), completionScript.zsh);
// An interactive shell that tells its command line when asked to.
writeFileSync(
  join(dir, '.zshrc'),
  `PROMPT= RPROMPT=
   setopt NO_BEEP
   autoload -Uz compinit && compinit -u -D
   source ${dir}/completion.zsh
   tell() { print -rn -- "<<$BUFFER>>" }
   zle -N tell
   bindkey '^Xt' tell
   print ready
  `,
);
const DRIVER = `
  zmodload zsh/zpty
  zpty shell "env TERM=dumb ZDOTDIR=$1 PATH=$1:$PATH zsh -d -i"
  zpty -r shell out '*ready*'
  zpty -w -n shell "$2"$'\\t\\x18t'
  zpty -r shell out '*<<*>>*'
  out=\${out##*<<}
  print -r -- "\${out%%>>*}"
  zpty -d shell
`;

describe.runIf((await findProgram('zsh', 'completion in zsh')) !== null)('zsh', () => {
  it.each([
    ['--models o3,scripted:base', 'o3,scripted:baseline', '--models|o3,scripted:base|'],
    ['--backend=pod', '--backend=podman', '--backend=pod|'],
    [`--name '$(touch no)' --backend=pod`, '--backend=podman', '--name|$(touch no)|--backend=pod|'],
  ])('completes %s, and runs none of it', (text, completed, asked) => {
    const line = execFileSync('zsh', ['-f', '-c', DRIVER, 'zsh', dir, `bench submit ${text}`], {
      ...{ cwd: dir, encoding: 'utf8', timeout: 300_000 },
    });
    expect(line.trim().endsWith(` ${completed}`)).toBe(true);
    expect(readFileSync(join(dir, 'asked'), 'utf8')).toBe(`__complete|submit|${asked}`);
    expect(execFileSync('ls', [dir], { encoding: 'utf8' })).not.toContain('no\n');
  });
});
