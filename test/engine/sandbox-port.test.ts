import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { probeEngine } from '../../backends/docker/engine.js';
import { SandboxLost } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { CommandOutcome, SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { LONG } from '../setup/long.js';
import { testPodman } from '../setup/podman-engine.js';
import {
  dockerUnderTest,
  localUnderTest,
  podmanUnderTest,
  remoteUnderTest,
  type BackendUnderTest,
} from './sandbox-port-backends.js';
import { notTested } from '../setup/not-tested.js';

const never = new AbortController().signal;
const root = process.getuid?.() === 0;

/** Where we could have started an engine, its absence is a failure. */
const engineExpected = root || (await probeEngine()).kind === 'ok';

const podman = await probeEngine(testPodman());
if (podman.kind !== 'ok') notTested('podman', podman.reason);

describe.runIf(engineExpected)('sandbox port on docker', () => suite('docker', dockerUnderTest));
// Long suite. The ordinary one has a remote engine in snapshots and spoilt sandboxes.
describe.runIf(LONG && engineExpected)('sandbox port on docker (remote)', () =>
  suite('docker (remote)', remoteUnderTest),
);
describe.runIf(LONG && podman.kind === 'ok')('sandbox port on podman', () => suite('podman', podmanUnderTest));
// Long suite: the same supervisor, which the tests of python/ and home/ have without a container.
describe.runIf(LONG && process.platform === 'linux')('sandbox port on local', () => suite('local', localUnderTest));

function suite(name: 'docker' | 'docker (remote)' | 'podman' | 'local', make: () => Promise<BackendUnderTest>) {
  /** With a user of its own, or in a container: the agent's signals and reads cannot reach us. */
  const separate = name !== 'local' || root;
  let backend: BackendUnderTest;
  beforeAll(async () => {
    backend = await make();
  });
  afterAll(async () => {
    await backend?.close();
  });

  const spec = (ref: SandboxRef): SandboxSpec => ({
    ...ref,
    starterDir: backend.starterDir,
    limits: { memoryMb: 512, cpus: 2, pids: 200 },
    network: 'none',
    gpuDevices: [],
  });

  async function started(epoch = 1): Promise<SandboxRef> {
    const ref = { runId: newRunId(), epoch };
    await backend.sandbox.start(spec(ref));
    return ref;
  }

  /** Runs commands one after another. */
  function shellOf(ref: SandboxRef) {
    let n = 0;
    return {
      next: () => n + 1,
      skip: () => ++n,
      run: (script: string, timeLimitSeconds = 60): Promise<CommandOutcome> =>
        backend.sandbox.run(ref, { n: ++n, script, timeLimitSeconds }, never),
    };
  }

  const fileAppears = (ref: SandboxRef, path: string) =>
    vi.waitFor(
      async () => {
        const found = await backend.sandbox.collect(ref, [path], 1000);
        if (found.kind !== 'files' || found.files[0]?.bytes.length === 0) throw new Error(`${path} is not there yet`);
        return found.files[0]?.bytes.toString();
      },
      { timeout: 120_000, interval: 20 },
    );

  describe('commands', () => {
    let ref: SandboxRef;
    let shell: ReturnType<typeof shellOf>;
    beforeAll(async () => {
      ref = await started();
      shell = shellOf(ref);
    });
    afterAll(() => backend.sandbox.stop(ref));
    beforeEach(
      skipWhatIsTheProgramsOwn(
        name,
        /starter files|own unprivileged user|run once|hand directory|localhost|daemons included|by an interrupt|bounded and all|may be long|live on$|that went away/,
      ),
    );

    it('find the starter files in the workspace, and may change them', async () => {
      const outcome = await shell.run(
        'cat strategy.py data/rows.csv && echo more >> data/rows.csv && python3 strategy.py',
      );
      expect(outcome).toMatchObject({
        exitCode: 0,
        output: 'print("starter")\n1,2\nstarter\n',
        lost: false,
        notice: null,
      });
      expect(outcome.outputBytes).toBe(outcome.output.length);
    });

    it('are run by the run’s own unprivileged user', async () => {
      if (!separate) return;
      expect(Number((await shell.run('id -u')).output)).toBeGreaterThan(10_000);
      expect((await shell.run('id -u; id -g; id -G')).output).toMatch(/^(\d+)\n\1\n\1\n$/);
      expect((await shell.run('grep -c NoNewPrivs:.1 /proc/self/status')).output).toBe('1\n');
    });

    it('run once, however often they are handed over', async () => {
      const command = { n: shell.skip(), script: 'echo once >> counter; cat counter', timeLimitSeconds: 60 };
      const both = await Promise.all([
        backend.sandbox.run(ref, command, never),
        backend.another().run(ref, command, never),
      ]);
      const later = await backend.sandbox.run(ref, { ...command, script: 'echo twice >> counter' }, never);
      expect(both[0]).toEqual(both[1]);
      expect(later).toEqual(both[0]);
      expect((await shell.run('cat counter')).output).toBe('once\n');
    });

    it('hand directory, variables, functions, aliases, options and umask on', async () => {
      await shell.run(
        [
          'mkdir -p "deep er/down"; cd "deep er/down"; umask 027; shopt -s extglob; set -o pipefail',
          "export SEEN=$'two\\nlines'; plain='a \"quote\"'; list=(1 'two three'); declare -A map=([k]=v); declare -i count=4",
          'f() { case $1 in @(a|b)) echo "f $1 $plain";; esac; }; g() { echo "g $1"; }; export -f g; alias twice="f a; f b"',
        ].join('\n'),
      );
      const outcome = await shell.run(
        'pwd; umask; printenv SEEN; echo "$plain ${list[1]} ${map[k]} $((count + 1))"; twice; bash -c "g a"; false | true; echo $?',
      );
      expect(outcome.output).toBe(
        `${outcome.workingDir}\n0027\ntwo\nlines\na "quote" two three v 5\nf a a "quote"\nf b a "quote"\ng a\n1\n`,
      );
      expect(outcome.workingDir).toMatch(/workspace\/deep er\/down$/);
      await shell.run('cd ../..; umask 022; set +o pipefail; unset SEEN');
      expect((await shell.run('echo "[${SEEN-unset}]"')).output).toBe('[unset]\n');
    });

    it('reach what they serve at localhost', async () => {
      const script = [
        'import socket',
        "server = socket.create_server(('localhost', 0))",
        "client = socket.create_connection(('localhost', server.getsockname()[1]))",
        "server.accept()[0].sendall(b'met')",
        'print(client.recv(3).decode())',
      ];
      expect(await shell.run(`python3 - <<'E'\n${script.join('\n')}\nE`)).toMatchObject({
        output: 'met\n',
        exitCode: 0,
      });
    });

    it('name their own line numbers in messages', async () => {
      const { output } = await shell.run('true\nno-such-program');
      expect(output).toBe('bash: line 2: no-such-program: command not found\n');
    });

    it('may leave the shell, with its state carried on', async () => {
      const left = await shell.run('kept=yes; cd data; exit 3');
      expect(left).toMatchObject({ exitCode: 3, stateReset: false, notice: null });
      expect((await shell.run('echo $kept; basename "$PWD"; cd ..')).output).toBe('yes\ndata\n');
    });

    it('may replace the shell: the next one starts from the state before, and is told', async () => {
      await shell.run('mark=before');
      const replaced = await shell.run('mark=after; exec true');
      expect(replaced).toMatchObject({ exitCode: 0, stateReset: false });
      expect(replaced.notice).toContain('state from before this one');
      expect((await shell.run('echo $mark')).output).toBe('before\n');
    });

    it('may kill their shell', async () => {
      const killed = await shell.run('echo dying; kill -9 $$');
      expect(killed).toMatchObject({ exitCode: 137, output: 'dying\n', lost: false });
      expect((await shell.run('echo $mark')).output).toBe('before\n');
    });

    it('may kill everything that they can, and only that', async () => {
      if (!separate) return;
      const killed = await shell.run('sleep 300 & kill -9 -1; sleep 1');
      expect(killed.lost).toBe(false);
      expect((await shell.run('echo $mark')).output).toBe('before\n');
    });

    it('may close their output', async () => {
      expect(await shell.run('echo said; exec >&- 2>&-; echo unsaid')).toMatchObject({ output: 'said\n' });
      expect((await shell.run('echo $mark')).output).toBe('before\n');
    });

    it('may open their output anew', async () => {
      const { output } = await shell.run(
        'echo out > /dev/stdout; echo err 2>&1 > /dev/stderr | cat; echo both | tee /dev/stderr',
      );
      expect(output.split('\n').sort()).toEqual(['', 'both', 'both', 'err', 'out']);
    });

    it('may turn on strictness and tracing', async () => {
      const strict = await shell.run('set -eux; cd data; false; echo unreachable');
      expect(strict).toMatchObject({ exitCode: 1, notice: null });
      expect(strict.output).not.toContain('unreachable');
      const next = await shell.run('echo "$never_set"');
      expect(next.exitCode).not.toBe(0);
      expect(next.output).toContain('never_set: unbound variable');
      expect(await shell.run('set +eux; cd ..')).toMatchObject({ exitCode: 0, notice: null });
      expect((await shell.run('echo "[$never_set]"')).output).toBe('[]\n');
    });

    it('may set traps', async () => {
      expect(await shell.run('trap "echo bye" EXIT; trapped=1; echo hi')).toMatchObject({
        output: 'hi\nbye\n',
        exitCode: 0,
      });
      expect((await shell.run('echo $trapped')).output).toBe('1\n');
      const debugged = await shell.run("trap 'echo step' DEBUG; trapped=2");
      expect(debugged.notice).toBeNull();
      expect((await shell.run('echo $trapped')).output).toBe('2\n');
      expect(await shell.run('trap "" TERM INT; trap "echo bye" EXIT; exit 5')).toMatchObject({
        output: 'bye\n',
        exitCode: 5,
      });
    });

    it('survive names that cover the shell’s own', async () => {
      await shell.run('cd() { echo mine; }; printf() { echo mine; }; alias eval=false trap=false; IFS=:; covered=1');
      expect(await shell.run('echo $covered; cd x')).toMatchObject({ output: '1\nmine\n', notice: null });
      expect(await shell.run('unset -f cd printf; unalias eval trap; IFS=$" \\t\\n"; unset IFS')).toMatchObject({
        notice: null,
      });
      expect((await shell.run('cd data; echo $covered; cd ..')).output).toBe('1\n');
    });

    it('report a syntax error and go on', async () => {
      const broken = await shell.run('echo first\nif true; then');
      expect(broken.exitCode).toBe(2);
      expect(broken.output).toMatch(/^first\nbash: .*syntax error/);
      expect((await shell.run('echo fine')).output).toBe('fine\n');
    });

    it('run elsewhere when their directory is gone, and say so', async () => {
      await shell.run('mkdir gone; cd gone; rmdir ../gone');
      const outcome = await shell.run('pwd');
      expect(outcome.output).toBe(`${outcome.workingDir}\n`);
      expect(outcome.workingDir).toMatch(/workspace$/);
      expect(outcome.notice).toContain('/gone could not be entered');
      expect((await shell.run('pwd')).notice).toBeNull();
    });

    it('are stopped with their whole process tree at the time limit, daemons included', async () => {
      const outcome = await shell.run('sleep 3001 & setsid sleep 3002 & (trap "" TERM; sleep 3003); sleep 3004', 1);
      expect(outcome).toMatchObject({ timedOut: true, interrupted: false, lost: false });
      expect(outcome.exitCode).toBeGreaterThan(128);
      expect((await shell.run('ps -eo args | grep "[s]leep 300[1234]"')).output).toBe('');
    });

    it('are killed when they ignore the time limit’s first signal', async () => {
      const outcome = await shell.run('trap "" TERM; echo stubborn; while :; do sleep 0.1; done', 4);
      expect(outcome).toMatchObject({ timedOut: true, exitCode: 137, output: 'stubborn\n' });
      expect(outcome.notice).toContain('state from before');
    });

    it('tell what they have printed so far, and are stopped by an interrupt', async () => {
      const n = shell.next();
      const running = shell.run('cd data; echo seen; echo begun > begun; sleep 3005');
      await fileAppears(ref, 'data/begun');
      expect(await backend.another().printed(ref, n)).toBe('seen\n');
      expect(await backend.sandbox.printed(ref, n + 1)).toBe('');
      await backend.another().interrupt(ref, n);
      expect(await running).toMatchObject({ interrupted: true, timedOut: false, lost: false });
      await backend.sandbox.interrupt(ref, n);
      expect((await shell.run('ps -eo args | grep "[s]leep 3005"; basename "$PWD"; cd ..')).output).toBe('data\n');
    });

    it('have their output bounded and all of it counted', async () => {
      const outcome = await shell.run("printf 'head\\n'; yes | head -c 60000000; printf 'tail\\n'");
      expect(outcome).toMatchObject({ exitCode: 0, outputBytes: 60_000_010 });
      expect(outcome.output).toMatch(/^head\ny\n/);
      expect(outcome.output).toMatch(/y\ntail\n$/);
      expect(outcome.output).toContain(`[... ${60_000_010 - 2 * 65_536} bytes of output not shown ...]`);
      expect(outcome.output.length).toBeLessThan(140_000);
    });

    it('have characters whole where the output was cut', async () => {
      const { output } = await shell.run(`python3 -c "print('x' + 'é' * 100_000)"`);
      expect(output).not.toContain('\ufffd');
      expect(output).toContain('bytes of output not shown');
    });

    it('may write bytes that are no text', async () => {
      const { output, outputBytes } = await shell.run(`printf 'a\\xff\\xfe\\0b'`);
      expect({ output, outputBytes }).toEqual({ output: 'a\ufffd\ufffd\ufffdb', outputBytes: 5 });
    });

    it('have no input to wait for', async () => {
      expect(await shell.run('cat; read line; echo $?')).toMatchObject({ output: '1\n', exitCode: 0 });
    });

    it('may hold here-documents, any quotes and EOF', async () => {
      const script = `cat <<'EOF' > here\n$HOME "quoted" 'single' \\n\nEOF\ncat here; cat <<X\nunfinished`;
      expect((await shell.run(script)).output).toContain(`\n$HOME "quoted" 'single' \\n\nunfinished`);
      expect((await shell.run('wc -l < here')).output).toBe('1\n');
    });

    it('may be long', async () => {
      const outcome = await shell.run(`: ${'x'.repeat(400_000)}\necho end`);
      expect(outcome).toMatchObject({ output: 'end\n', exitCode: 0 });
    });

    it('may leave processes behind, which live on', async () => {
      const left = await shell.run('(while :; do echo noise; sleep 0.02; done) & echo $!');
      const pid = /^\d+$/m.exec(left.output)?.[0];
      expect((await shell.run(`sleep 0.2; kill -0 ${pid} && echo alive`)).output).toBe('alive\n');
      await shell.run('sleep 3006 & sleep 0.1', 30);
      const stopped = await shell.run('sleep 3007', 1);
      expect(stopped.timedOut).toBe(true);
      expect((await shell.run(`kill ${pid} && ps -eo args | grep "[s]leep 300[67]"`)).output).toBe('sleep 3006\n');
    });

    it('wait for a client that went away: same process, complete output', async () => {
      const n = shell.skip();
      const script = 'echo $$ > shell-pid; for i in 1 2 3 4 5 6; do echo part $i; sleep 0.5; done; echo again >> ran';
      const client = await backend.handOver(ref, { n, script, timeLimitSeconds: 60 });
      const pid = Number(await fileAppears(ref, 'shell-pid'));
      client.kill('SIGKILL');
      await once(client, 'exit');
      const outcome = await backend.another().run(ref, { n, script, timeLimitSeconds: 60 }, never);
      expect(outcome).toMatchObject({ exitCode: 0, lost: false, pid });
      expect(outcome.output).toBe('part 1\npart 2\npart 3\npart 4\npart 5\npart 6\n');
      expect((await shell.run('cat ran')).output).toBe('again\n');
    });

    it('live on when the waiting is given up', async () => {
      const n = shell.next();
      const waiting = new AbortController();
      const script = 'echo going > going; until [ -e go ]; do sleep 0.02; done; echo went';
      const running = backend.sandbox.run(ref, { n, script, timeLimitSeconds: 60 }, waiting.signal);
      await fileAppears(ref, 'going');
      waiting.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
      await expect(backend.sandbox.run(ref, { n: n + 1, script: 'true', timeLimitSeconds: 60 }, never)).rejects.toThrow(
        /busy/,
      );
      await backend.sandbox.interrupt(ref, n + 1);
      await backend.sandbox.interrupt(ref, n);
      expect(await shell.run(script)).toMatchObject({ interrupted: true });
    });
  });

  describe('the boundary', () => {
    let ref: SandboxRef;
    let shell: ReturnType<typeof shellOf>;
    beforeAll(async () => {
      ref = await started();
      shell = shellOf(ref);
    });
    afterAll(() => backend.sandbox.stop(ref));
    beforeEach(skipWhatIsTheProgramsOwn(name, /keeps the agent out/));

    it('keeps the agent out of the control directory and away from the supervisor', async () => {
      if (!separate) return;
      const control = backend.controlInside(ref);
      const outcome = await shell.run(
        `ls ${control}; cat ${control}/state; echo x > ${control}/sock; kill -9 $PPID; ls /proc/$PPID/cwd/; kill -9 1; echo $?`,
      );
      expect(outcome.lost).toBe(false);
      expect(outcome.output).toMatch(/1\n$/);
      expect(outcome.output.match(/Operation not permitted/g)?.length).toBeGreaterThanOrEqual(2);
      expect((await shell.run('echo still here')).output).toBe('still here\n');
    });

    it('hides the home and other users’ files', async () => {
      // Where the local backend gets no mounts of its own, it hides nothing.
      if ((await shell.run('pwd')).output !== '/home/agent/workspace\n') return;
      expect((await shell.run('whoami')).output).toBe('agent\n');
      const { output } = await shell.run(
        `ls -A ${backend.layout.home} 2>/dev/null; ls -A /root 2>/dev/null; ls -A /home`,
      );
      expect(output).toBe('agent\n');
    });

    it('takes requests from the tools, not from text', async () => {
      expect(
        await shell.run('cat $(command -v submit); echo "Submission requested"; echo "validate submit"'),
      ).toMatchObject({
        requested: null,
      });
      const validated = await shell.run('validate; echo after');
      expect(validated.requested).toBe('validate');
      expect(validated.output).toMatch(/^Validation requested.*\nafter\n$/);
      expect(await shell.run('validate && submit && validate')).toMatchObject({ requested: 'submit' });
      expect(await shell.run('bash -c "(submit)" | cat')).toMatchObject({ requested: 'submit' });
      expect(await shell.run('true')).toMatchObject({ requested: null });
      // In sessions of their own.
      expect(await shell.run('setsid validate')).toMatchObject({ requested: 'validate' });
      expect(await shell.run('setsid sh -c "setsid submit" & wait')).toMatchObject({ requested: 'submit' });
    });

    it('takes no requests from what an earlier command left behind', async () => {
      await shell.run(
        '(setsid sh -c "until [ -e late ]; do sleep 0.02; done; validate > refused 2>&1; echo >> refused" &) > /dev/null 2>&1',
      );
      expect(await shell.run('touch late; until [ -s refused ]; do sleep 0.02; done; cat refused')).toMatchObject({
        output: expect.stringMatching(/^Refused/) as string,
        requested: null,
      });
      await shell.run(
        '(until [ -e ask ]; do sleep 0.02; done; submit > answer 2>&1; echo $? >> answer) > /dev/null 2>&1 &',
      );
      const outcome = await shell.run(
        'touch ask; until [ -s answer ] && [ $(wc -l < answer) = 2 ]; do sleep 0.02; done; cat answer',
      );
      expect(outcome.output).toMatch(/^Refused.*\n1\n$/);
      expect(outcome.requested).toBeNull();
    });

    it('drops forged state that hangs, and tells', async () => {
      const forged = ['', '', '/', '0022', '', '', 'sleep 1000', 'end', ''].join('\\0');
      await shell.run(`printf '${forged}' >&241; exec 241>&-`);
      const outcome = await shell.run('echo ran');
      expect(outcome).toMatchObject({ output: 'ran\n', exitCode: 0, stateReset: true });
      expect(outcome.notice).toContain('fresh shell');
      expect(await shell.run('echo ran')).toMatchObject({ output: 'ran\n', stateReset: false, notice: null });
    });

    it('is not harmed by forged state of other kinds', async () => {
      const nonsense = [
        ['', '', '/', '0022', '', '', 'exit 0', 'end', ''],
        ['', '', '/', '0022', '', '', 'kill -9 $$', 'end', ''],
        ['noexec:onecmd', 'shopt -s nothing', '/', '0022', '', '', '', 'end', ''],
        ['', '', 'relative', '9999', '', '', '', 'end', ''],
        ['only one'],
      ];
      for (const parts of nonsense) {
        await shell.run(`printf '${parts.join('\\0')}' >&241; exec 241>&-`);
        expect(await shell.run('echo ran')).toMatchObject({ output: 'ran\n', exitCode: 0 });
      }
      await shell.run('head -c 20000000 /dev/zero >&241');
      expect(await shell.run('echo ran')).toMatchObject({ output: 'ran\n', exitCode: 0 });
      await shell.run('big=$(head -c 6000000 /dev/zero | tr "\\0" x)');
      expect(await shell.run('echo "ran$big"')).toMatchObject({ output: 'ran\n', exitCode: 0 });
    });

    it('bounds a fork bomb', async () => {
      // Without a user of its own nothing limits the number of processes.
      if (!separate) return;
      const outcome = await shell.run('bomb() { bomb | bomb & }; bomb; sleep 300', 1);
      expect(outcome).toMatchObject({ timedOut: true, lost: false });
      expect(Number((await shell.run('ps -o pid= -u $(id -u) | wc -l')).output)).toBeLessThan(6);
      await shell.run('python3 -c "import os, time\nwhile True: os.fork() or time.sleep(3008)" 2>/dev/null');
      expect((await shell.run('echo room')).output).toContain('room');
      expect((await shell.run('sleep 0.1; echo room')).output).toBe('room\n');
    });
  });

  describe('collecting files', () => {
    let ref: SandboxRef;
    beforeAll(async () => {
      ref = await started();
      const made = await shellOf(ref).run(
        [
          'printf one > a.txt; mkdir -p sub; head -c 5000 /dev/urandom > sub/b.bin; : > empty; mkdir folder',
          'ln -s a.txt link; ln -s sub sublink; ln -s /etc/passwd outside; mkfifo fifo; ln -s nowhere dangling',
          'truncate -s 10G sparse; printf x > "spa ce é.txt"',
          // Root may read it all the same.
          ...(separate ? ['chmod 000 a.txt'] : []),
          'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'socket\')"',
        ].join('\n'),
      );
      expect(made).toMatchObject({ exitCode: 0, output: '' });
    });
    afterAll(() => backend.sandbox.stop(ref));
    // As on docker, whose directories are shared too.
    beforeEach(skipWhatIsTheProgramsOwn(name, /regular files|in the place of/, ['podman']));

    it('gives regular files with their bytes, in the order asked for', async () => {
      const found = await backend.sandbox.collect(ref, ['sub/b.bin', 'a.txt', 'empty', 'spa ce é.txt'], 10_000);
      if (found.kind !== 'files') throw new Error(JSON.stringify(found));
      expect(found.files.map(({ path, bytes }) => [path, bytes.length])).toEqual([
        ['sub/b.bin', 5000],
        ['a.txt', 3],
        ['empty', 0],
        ['spa ce é.txt', 1],
      ]);
    });

    it('names what is missing', async () => {
      const paths = ['a.txt', 'absent', 'sub/absent', 'absent/b.bin'];
      expect(await backend.sandbox.collect(ref, paths, 10_000)).toEqual({ kind: 'missing', paths: paths.slice(1) });
    });

    it.each([
      ['link', 'link is a link'],
      ['dangling', 'dangling is a link'],
      ['outside', 'outside is a link'],
      ['sublink/b.bin', 'sublink is a link, not a directory'],
      ['fifo', 'fifo is a fifo'],
      ['socket', 'socket is a socket'],
      ['folder', 'folder is a directory'],
      ['a.txt/b', 'a.txt is a file, not a directory'],
      ['sparse', 'more than 10000 bytes'],
      ['../workspace/a.txt', 'not a path inside the workspace'],
      ['/etc/passwd', 'not a path inside the workspace'],
    ])('refuses %s', async (path, reason) => {
      const found = await backend.sandbox.collect(ref, [path], 10_000);
      expect(found).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) as string });
    });

    it('follows no link in the place of the workspace', async () => {
      if (name === 'local') return;
      const other = await started();
      await shellOf(other).run('cd ..; mv workspace real; ln -s real workspace');
      const found = await backend.sandbox.collect(other, ['strategy.py'], 10_000);
      expect(found).toMatchObject({ kind: 'refused', reason: expect.stringContaining('link') as string });
      await backend.sandbox.stop(other);
    });

    it('counts all files against one limit', async () => {
      const found = await backend.sandbox.collect(ref, ['sub/b.bin', 'a.txt'], 5002);
      expect(found).toMatchObject({ kind: 'refused', reason: expect.stringContaining('5002 bytes in all') as string });
    });
  });

  /** Where no file system holds the limit of 64 MB. */
  async function fillsWhatIsWatched(ref: SandboxRef, shell: ReturnType<typeof shellOf>) {
    const one = await shell.run('echo mine > mine; head -c 100000000 /dev/zero > /tmp/big; echo $?; rm /tmp/big');
    expect(one).toMatchObject({ stoppedBy: null, exitCode: 0 });
    expect(one.output).not.toContain('\n0\n');
    const steadily = 'i=0; while sleep 0.05; do i=$((i + 1)); head -c 3000000 /dev/zero > part$i; done';
    const filled = await shell.run(`sleep 3017 & ${steadily}`, 90);
    expect(filled).toMatchObject({ stoppedBy: 'workspace', timedOut: true, lost: false, output: '' });
    expect(filled.notice).toContain('64 MB');
    const next = await shell.run('ps -eo args | grep "[s]leep 3017"; ln part1 again; cat mine');
    expect(next).toMatchObject({ output: 'mine\n', exitCode: 0, stoppedBy: null });
    expect(next.notice).toContain('more than the 64 MB allowed');
    // The limit is on what is taken: neither names nor holes count.
    await shell.run('rm part*; ln again third; truncate -s 60M hole; sleep 2.5');
    await vi.waitFor(async () => expect(await shell.run('true')).toMatchObject({ exitCode: 0, notice: null }), 120_000);
    expect(await backend.sandbox.collect(ref, ['mine'], 100)).toMatchObject({ kind: 'files' });
  }

  it('may fill its workspace: commands see it, the files can be collected, and the sandbox goes on', async ({
    skip,
  }) => {
    // Podman's disks are docker's; without a directory to share it is watched, as on local.
    skip(!LONG && (name === 'podman' || name === 'docker (remote)'));
    const ref = { runId: newRunId(), epoch: 1 };
    const limited = { ...spec(ref), limits: { ...spec(ref).limits, workspaceMb: 64 } };
    const { workspaceLimit } = await backend.sandbox.start(limited);
    const shell = shellOf(ref);
    if (workspaceLimit === 'watched') {
      await fillsWhatIsWatched(ref, shell);
      return backend.sandbox.stop(ref);
    }
    expect(workspaceLimit).toBe('file_system');
    const full = await shell.run(
      'echo mine > mine; head -c 100000000 /dev/zero > big; echo $?; head -c 9000000 /dev/zero > /tmp/more',
    );
    expect(full).toMatchObject({ lost: false, exitCode: 1 });
    expect(full.output.match(/No space left on device/g)).toHaveLength(2);
    expect(full.output).toContain('\n1\n');
    expect(await backend.sandbox.collect(ref, ['mine'], 100)).toMatchObject({ kind: 'files' });
    await backend.reboot(ref);
    expect(await backend.sandbox.collect(ref, ['mine'], 100)).toMatchObject({ kind: 'files' });
    const after = await backend
      .another()
      .run(ref, { n: shell.skip(), script: 'cat mine; rm big; echo room > big; cat big', timeLimitSeconds: 60 }, never);
    expect(after).toMatchObject({ output: 'mine\nroom\n', exitCode: 0, lost: false });
    await backend.sandbox.stop(ref);
    expect(await backend.traces(ref)).toEqual([]);
  });

  describe('the life of a sandbox', () => {
    beforeEach(skipWhatIsTheProgramsOwn(name, /goes on after a crash|is lost when|without a trace/));

    it('starts once: a second start adopts it', async () => {
      const ref = { runId: newRunId(), epoch: 1 };
      const [first, second] = await Promise.all([backend.sandbox.start(spec(ref)), backend.another().start(spec(ref))]);
      expect(first.workspace).toBe(second.workspace);
      await shellOf(ref).run('x=kept; echo mine > strategy.py');
      expect(await backend.sandbox.start(spec(ref))).toMatchObject({
        created: false,
        isolation: backend.sandbox.isolation,
      });
      expect(
        (await backend.sandbox.run(ref, { n: 2, script: 'echo $x; cat strategy.py', timeLimitSeconds: 60 }, never))
          .output,
      ).toBe('kept\nmine\n');
      await backend.sandbox.stop(ref);
    });

    it('goes on after a crash: files and state remain, the command in flight is lost, not rerun', async () => {
      const ref = await started();
      const shell = shellOf(ref);
      await shell.run('kept=state; cd data');
      const inFlight = shell.run('echo ran >> ran; kept=changed; sleep 300');
      await fileAppears(ref, 'data/ran');
      await backend.crash(ref);
      const lost = await inFlight;
      expect(lost).toMatchObject({ lost: true, exitCode: null, timedOut: false });
      expect(lost.restarted).toBe(true);
      expect(lost.notice).toContain('restarted');
      const next = await shell.run('echo $kept; cat ran; ps -eo args | grep "[s]leep 300"');
      expect(next).toMatchObject({ output: 'state\nran\n', lost: false });
      // Asked again, with another script even: the same answer.
      const again = await backend.another().run(ref, { n: 2, script: 'true', timeLimitSeconds: 60 }, never);
      expect({ ...again, restarted: true }).toEqual({ ...lost, restarted: true });
      await backend.sandbox.stop(ref);
    });

    it('a crash before the first command is told by its outcome, whoever started the sandbox again', async () => {
      const ref = await started();
      await backend.crash(ref);
      await backend.sandbox.start(spec(ref));
      const command = { n: 1, script: 'echo first', timeLimitSeconds: 60 };
      const outcome = await backend.sandbox.run(ref, command, never);
      expect(outcome).toMatchObject({ output: 'first\n', lost: false, restarted: true });
      expect(await backend.another().run(ref, command, never)).toEqual(outcome);
      expect((await backend.sandbox.run(ref, { ...command, n: 2 }, never)).restarted).toBeUndefined();
      await backend.sandbox.stop(ref);
    });

    it('gives back the outcome of a command that ended before the crash', async () => {
      const ref = await started();
      const outcome = await shellOf(ref).run('echo early');
      await backend.crash(ref);
      const again = await backend.another().run(ref, { n: 1, script: 'echo early', timeLimitSeconds: 60 }, never);
      expect({ ...again, restarted: true }).toEqual({ ...outcome, restarted: true });
      await backend.sandbox.stop(ref);
    });

    it('is lost when it is gone', async () => {
      const ref = await started();
      await backend.lose(ref);
      const command = { n: 1, script: 'true', timeLimitSeconds: 60 };
      await expect(backend.sandbox.run(ref, command, never)).rejects.toBeInstanceOf(SandboxLost);
      await expect(backend.sandbox.collect(ref, ['a'], 100)).rejects.toBeInstanceOf(SandboxLost);
      await backend.sandbox.interrupt(ref, 1);
      expect(await backend.sandbox.list()).toContainEqual(ref);
      await backend.sandbox.stop(ref);
      expect(await backend.sandbox.list()).not.toContainEqual(ref);
      const absent = { runId: newRunId(), epoch: 1 };
      await expect(backend.sandbox.run(absent, command, never)).rejects.toBeInstanceOf(SandboxLost);
    });

    it('stops without a trace, as often as one likes', async () => {
      const ref = await started(2);
      const shell = shellOf(ref);
      await shell.run('setsid sleep 300 > /dev/null 2>&1 & mkdir -p locked/in; chmod 000 locked');
      const inFlight = shell.run('echo x > busy; sleep 300').then(
        () => null,
        (error: unknown) => error,
      );
      await fileAppears(ref, 'busy');
      expect(await backend.sandbox.list()).toContainEqual(ref);
      await Promise.all([backend.sandbox.stop(ref), backend.another().stop(ref)]);
      expect(await backend.traces(ref)).toEqual([]);
      expect(await backend.sandbox.list()).not.toContainEqual(ref);
      expect(await inFlight).toBeInstanceOf(SandboxLost);
      await backend.sandbox.stop(ref);
      await backend.sandbox.stop({ runId: newRunId(), epoch: 1 });
    });

    it('does not disturb another one', async () => {
      const [one, other] = [await started(), await started()];
      const shell = shellOf(other);
      await shell.run('sleep 3009 & secret=1; echo mine > mine');
      if (separate) await shellOf(one).run('kill -9 -1');
      await backend.sandbox.stop(one);
      expect((await shell.run('echo $secret; cat mine; ps -eo args | grep "[s]leep 3009"')).output).toBe(
        '1\nmine\nsleep 3009\n',
      );
      await backend.sandbox.stop(other);
    });
  });
}
