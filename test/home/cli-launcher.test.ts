import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const LAUNCHER = resolve(import.meta.dirname, '../../bench');

/** Stands for npm: notes how it was called, and makes what the launcher waits for. */
const NPM = `#!/bin/sh
echo "$1" >>"$ROOT/calls"
case $1 in
  ci) sleep 0.3; mkdir -p "$ROOT/node_modules"; echo '{}' >"$ROOT/node_modules/.package-lock.json" ;;
  run)
    [ ! -e "$ROOT/fail" ] || exit 1
    mkdir -p "$ROOT/dist/cli"
    echo 'const { existsSync, readFileSync } = await import("node:fs"), wait = process.env.ROOT + "/wait";
      while (existsSync(wait) && !existsSync(readFileSync(wait, "utf8"))) await new Promise((done) => setTimeout(done, 50));
      console.log("bench", ...process.argv.slice(2)); process.exit(7)' >"$ROOT/dist/cli/main.js" ;;
esac
`;

let root: string;
let bin: string;
const calls = (): string[] => readFileSync(join(root, 'calls'), 'utf8').trim().split('\n');
const launch = (program: string, ...args: string[]) =>
  execa(program, args, { reject: false, cwd: '/', env: { ROOT: root, PATH: `${bin}:${process.env['PATH'] ?? ''}` } });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-launcher-'));
  bin = join(root, 'fake-bin');
  mkdirSync(bin);
  mkdirSync(join(root, 'cli'));
  copyFileSync(LAUNCHER, join(root, 'bench'));
  writeFileSync(join(bin, 'npm'), NPM, { mode: 0o755 });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'cli', 'main.ts'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the launcher', () => {
  it('installs and builds at first use, then runs the program with its arguments and exit code', async () => {
    const first = await launch(join(root, 'bench'), 'runs', 'a b');
    expect(first).toMatchObject({ stdout: 'bench runs a b', exitCode: 7 });
    expect(first.stderr).toContain('first use');
    const second = await launch(join(root, 'bench'), 'status');
    expect(second).toMatchObject({ stdout: 'bench status', stderr: '' });
    expect(calls()).toEqual(['ci', 'run']);
  });

  describe('has Go build Temporal beside npm', () => {
    /** Stands for Go: says when it began, and makes the program once npm is done, or never. */
    const GO = `#!/bin/sh
echo began >>"$ROOT/go-calls"
[ ! -e "$ROOT/slow" ] || exec sleep 600
until [ -e "$ROOT/dist/cli/main.js" ]; do sleep 0.1; done
printf '#!/bin/sh\n' >"$GOBIN/temporal"
chmod 755 "$GOBIN/temporal"
`;
    /** Without a Temporal of this machine. */
    const first = (...args: string[]) =>
      execa(join(root, 'bench'), args, {
        ...{ reject: false, cwd: '/', extendEnv: false },
        env: { ROOT: root, HOME: root, PATH: `${bin}:/usr/bin:/bin:${dirname(process.execPath)}` },
      });
    const built = () => join(root, '.cache/bench/bin/temporal');

    beforeEach(() => {
      for (const file of ['scripts/build-temporal.sh', 'services/find-temporal.ts']) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        copyFileSync(resolve(LAUNCHER, '..', file), join(root, file));
      }
      writeFileSync(join(bin, 'go'), GO, { mode: 0o755 });
      // As where nothing can be downloaded.
      const node = `#!/bin/sh\ncase $* in *https:*) exit 1 ;; esac\nexec ${process.execPath} "$@"\n`;
      writeFileSync(join(bin, 'node'), node, { mode: 0o755 });
    });

    it('at first use of a command that needs it, and puts it where it is looked for', async () => {
      writeFileSync(join(root, 'wait'), built());
      const run = await first('demo');
      expect(run).toMatchObject({ stdout: 'bench demo', exitCode: 7 });
      expect(run.stderr).toContain('building Temporal with Go, once per user');
      expect(existsSync(built())).toBe(true);
    });

    it('and ends with the command', async () => {
      writeFileSync(join(root, 'slow'), '');
      const run = await first('up');
      expect(run.exitCode).toBe(7);
      await expect
        .poll(() => readdirSync(dirname(built())).filter((name) => name.startsWith('.temporal-')))
        .toEqual([]);
      expect(existsSync(built())).toBe(false);
    });

    it('not for one that only looks', async () => {
      await first('status');
      expect(existsSync(join(root, 'go-calls'))).toBe(false);
    });
  });

  it('works through symbolic links from anywhere', async () => {
    symlinkSync('../bench', join(bin, 'inner'));
    symlinkSync(join(bin, 'inner'), join(root, 'outer'));
    expect((await launch(join(root, 'outer'), 'x')).stdout).toBe('bench x');
  });

  it('builds again when a source file is newer, and installs again when the lock file is', async () => {
    await launch(join(root, 'bench'));
    const later = new Date(Date.now() + 5_000);
    writeFileSync(join(root, 'cli', 'main.ts'), 'changed');
    utimesSync(join(root, 'cli', 'main.ts'), later, later);
    await launch(join(root, 'bench'));
    expect(calls()).toEqual(['ci', 'run', 'run']);
    utimesSync(join(root, 'cli', 'main.ts'), new Date(0), new Date(0));
    utimesSync(join(root, 'package-lock.json'), later, later);
    await launch(join(root, 'bench'));
    expect(calls().slice(3)).toContain('ci');
  });

  it('installs and builds once when two are started at the same time', async () => {
    const both = await Promise.all([launch(join(root, 'bench'), '1'), launch(join(root, 'bench'), '2')]);
    expect(both.map((one) => one.stdout)).toEqual(['bench 1', 'bench 2']);
    expect(calls()).toEqual(['ci', 'run']);
  });

  it('takes over from one that was killed while it built', async () => {
    mkdirSync(join(root, '.bench', 'build-lock'), { recursive: true });
    writeFileSync(join(root, '.bench', 'build-lock', 'pid'), '999999999');
    expect((await launch(join(root, 'bench'), 'x')).stdout).toBe('bench x');
  });

  it('says that the build failed, and tries again the next time', async () => {
    writeFileSync(join(root, 'fail'), '');
    const failed = await launch(join(root, 'bench'), 'x');
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toContain('the build failed');
    rmSync(join(root, 'fail'));
    expect((await launch(join(root, 'bench'), 'x')).stdout).toBe('bench x');
  });
});
