import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { findTemporalForTests } from './find-temporal.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const PROGRAMS = ['podman', 'newuidmap', 'useradd', 'setpriv'];
const BASE = join(homedir(), '.cache', 'bench', 'images', 'bench-base-bookworm.tar');

/** Why podman cannot run as an ordinary user here; null: it can. */
export async function noRootlessPodman(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root makes an ordinary user to try it as';
  for (const program of PROGRAMS)
    if ((await execa('which', [program], { reject: false })).exitCode !== 0)
      return `no ${program}: apt-get install podman runc uidmap slirp4netns`;
  const read = ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'cat', MAIN];
  if ((await execa('setpriv', read, { reject: false, stdout: 'ignore' })).exitCode !== 0)
    return `an ordinary user cannot read ${dirname(MAIN)}`;
  return null;
}

/** A user with rootless podman, and `bench` run by that user. */
export class OrdinaryUser {
  private constructor(
    readonly name: string,
    readonly dir: string,
    readonly env: Record<string, string>,
  ) {}

  static async create(env: (dir: string) => Record<string, string>): Promise<OrdinaryUser> {
    const dir = mkdtempSync('/var/tmp/bench-rootless-');
    const name = basename(dir).toLowerCase();
    // With a range of subordinate ids.
    await execa('useradd', ['--home-dir', dir, '--shell', '/bin/sh', name]);
    for (const folder of ['bin', 'tmp', '.cache/bench/images', '.config/containers'])
      mkdirSync(join(dir, folder), { recursive: true });
    // Debian's crun needs cgroups that nobody has delegated.
    writeFileSync(
      join(dir, '.config', 'containers', 'containers.conf'),
      '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n',
    );
    // Root's own cache is closed to others.
    if (existsSync(BASE)) copyFileSync(BASE, join(dir, '.cache', 'bench', 'images', basename(BASE)));
    copyFileSync(await findTemporalForTests(), join(dir, 'bin', 'temporal'));
    await execa('chown', ['-R', `${name}:`, dir]);
    return new OrdinaryUser(name, dir, {
      ...{ HOME: dir, USER: name, PATH: `${join(dir, 'bin')}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' },
      // Podman 4 leaves imports there.
      ...{ BENCH_GPUS: 'none', TMPDIR: join(dir, 'tmp') },
      ...env(dir),
    });
  }

  as(program: string, ...args: string[]): [string, string[], { env: Record<string, string>; cwd: string }] {
    const become = ['--reuid', this.name, '--regid', this.name, '--clear-groups', program, ...args];
    return ['setpriv', become, { env: this.env, cwd: this.dir }];
  }

  /** Returns the output; throws it if the program fails. */
  async run(program: string, args: string[], env: Record<string, string> = {}, input?: string): Promise<string> {
    const [file, words, options] = this.as(program, ...args);
    const { exitCode, stdout, stderr } = await execa(file, words, {
      ...{ ...options, env: { ...options.env, ...env }, reject: false },
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
    });
    if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${exitCode}\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** A bench command with --json. Throws its output if it fails. */
  async bench<T>(args: string[], env: Record<string, string> = {}): Promise<T> {
    return JSON.parse(await this.run(process.execPath, [MAIN, ...args, '--json'], env)) as T;
  }

  async processes(): Promise<string[]> {
    const { stdout } = await execa('ps', ['-u', this.name, '-o', 'stat=,args='], { reject: false });
    // Without their momentary state.
    return stdout
      .split('\n')
      .flatMap((line) => (line.startsWith('Z') ? [] : (/^\S+\s+(.+)$/.exec(line)?.slice(1) ?? [])));
  }

  async remove(): Promise<void> {
    await execa('pkill', ['-KILL', '-u', this.name], { reject: false });
    await execa('userdel', ['--force', this.name], { reject: false });
    rmSync(this.dir, { recursive: true, force: true });
  }
}
