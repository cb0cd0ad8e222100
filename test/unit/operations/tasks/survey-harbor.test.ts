import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { harborSurveySchema, type HarborTask } from '../../../../domain/views/tasks.js';
import { surveyHarborTasks } from '../../../../operations/tasks/harbor/survey.js';

const root = mkdtempSync(join(tmpdir(), 'bench-harbor-'));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
/** A task that is whole, with these files in place of its own; null: the file is missing. */
function task(files: Readonly<Record<string, string | null>> = {}): string {
  const folder = join(root, String(++made), 'hello');
  const whole: Record<string, string | null> = {
    'task.toml':
      'version = "1.0"\n[metadata]\nanything = 1\n[agent]\ntimeout_sec = 900.0\n[environment]\nmemory_mb = 2048\n',
    'instruction.md': 'Write hello to /app/hello.txt.',
    'environment/Dockerfile': 'FROM python:3.13\nWORKDIR /app\n',
    'solution/solve.sh': 'echo hello > /app/hello.txt\n',
    'tests/test.sh': 'apt-get install -y curl\nuvx pytest /tests/test_outputs.py\n',
    'tests/test_outputs.py': 'def test(): assert open("/app/hello.txt").read() == "hello\\n"\n',
    ...files,
  };
  for (const [name, text] of Object.entries(whole)) {
    if (text === null) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
function survey(folder: string): HarborTask {
  const { tasks } = harborSurveySchema.parse(surveyHarborTasks(folder));
  expect(tasks).toHaveLength(1);
  return tasks[0]!;
}
const refused = (files: Readonly<Record<string, string | null>>) =>
  survey(task(files)).refusals.map(({ file, key }) => `${file}: ${key}`);

describe('a survey of tasks of Harbor', () => {
  test('finds whole tasks at any depth, and nothing against them', () => {
    const folder = task();
    expect(survey(dirname(folder))).toMatchObject({
      ...{
        task: 'hello',
        playable: true,
        verification: 'clean-room',
        evidence: null,
        inProcess: null,
        workdir: '/app',
      },
      ...{ refusals: [], remarks: [] },
    });
    expect(() => surveyHarborTasks(join(folder, 'tests'))).toThrow(/no task of Harbor/);
  });

  test.each([
    ['FROM x\nWORKDIR /app\nWORKDIR src\n', '/app/src'],
    ['FROM x AS made\nWORKDIR /srv/made/\nFROM made\nRUN true\n', '/srv/made'],
    ['FROM x AS tools\nWORKDIR /tools\nFROM y\nWORKDIR /work\n', '/work'],
  ])("takes the last stage's working folder: %j", (dockerfile, workdir) => {
    expect(survey(task({ 'environment/Dockerfile': dockerfile }))).toMatchObject({ workdir, remarks: [] });
  });

  test('says so where nothing tells the working folder', () => {
    expect(survey(task({ 'environment/Dockerfile': 'FROM x AS tools\nWORKDIR /tools\nFROM y\n' }))).toMatchObject({
      workdir: '/app',
      remarks: [{ file: 'environment/Dockerfile', key: 'WORKDIR' }],
    });
  });

  test('names keys that Harbor ignores', () => {
    const { playable, remarks } = survey(
      task({ 'task.toml': 'version = "1.0"\nreward = 1\n[environment]\ngpu_count = 1\n[environment.env]\nA = "b"\n' }),
    );
    expect([playable, remarks.map(({ key }) => key)]).toEqual([true, ['reward', 'environment.gpu_count']]);
  });

  test('remarks on tests that fetch while they verify', () => {
    const { playable, remarks } = survey(
      task({ 'tests/test_outputs.py': 'urlopen("https://example.org/cases.zip")\n' }),
    );
    expect([playable, remarks.map(({ file, reason }) => `${file}: ${reason}`)]).toEqual([
      true,
      ['tests/test_outputs.py: fetches from example.org, and tests have no network: they may fail for anyone'],
    ]);
  });

  test.each<[string, Record<string, string | null>, string]>([
    ['another version', { 'task.toml': 'schema_version = "9.9"\n' }, 'task.toml: schema_version'],
    ['no TOML', { 'task.toml': 'version = "1.0"\nagent = {\n' }, 'task.toml: line 3'],
    ['no number', { 'task.toml': '[environment]\ncpus = nan\n' }, 'task.toml: environment.cpus'],
    ['several steps', { 'task.toml': '[[steps]]\nname = "a"\n' }, 'task.toml: steps'],
    ['Windows', { 'task.toml': '[environment]\nos = "windows"\n' }, 'task.toml: environment.os'],
    ['MCP servers', { 'task.toml': '[[environment.mcp_servers]]\nname = "a"\n' }, 'task.toml: environment.mcp_servers'],
    ['a secret', { 'task.toml': '[verifier.env]\nKEY = "${OPENAI_API_KEY}"\n' }, 'task.toml: verifier.env.KEY'],
    ['no solution', { 'solution/solve.sh': null }, 'solution/solve.sh: '],
    ['no tests', { 'tests/test.sh': null }, 'tests/test.sh: '],
    ['no image', { 'environment/Dockerfile': null }, 'environment/Dockerfile: '],
    ['no instruction', { 'instruction.md': null }, 'instruction.md: '],
    ['a huge file', { 'instruction.md': 'x'.repeat(1024 * 1024 + 1) }, 'instruction.md: '],
  ])('refuses %s, and says where', (_, files, place) => {
    expect(refused(files)).toEqual([place]);
  });

  test('takes a variable with a default, which needs nothing of the host', () => {
    expect(refused({ 'task.toml': '[environment.env]\nKEY = "${MODE:-fast}"\n' })).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['the home folder', 'services: {main: {volumes: ["~/.config/gcloud:/gcloud"]}}', 'services.main.volumes[0]'],
    ['a relative folder', 'services: {main: {volumes: ["../..:/host"]}}', 'services.main.volumes[0]'],
    ['a variable', 'services: {main: {volumes: ["${HOME}:/host"]}}', 'services.main.volumes[0]'],
    [
      'the socket of the engine',
      'services: {main: {volumes: [{type: bind, source: /var/run/docker.sock, target: /s}]}}',
      'services.main.volumes[0]',
    ],
    [
      'a volume of no stated type',
      'services: {main: {volumes: [{source: /, target: /host}]}}',
      'services.main.volumes[0]',
    ],
    ['privileges', 'services: {main: {privileged: true}}', 'services.main.privileged'],
    ['the network of the host', 'services: {main: {network_mode: host}}', 'services.main.network_mode'],
    ['a second container', 'services: {main: {}, db: {image: postgres}}', 'services.db'],
    ['another file', 'services: {main: {extends: {file: /etc/passwd}}}', 'services.main.extends'],
    ['no service', 'volumes: {}', 'services'],
    ['no YAML', 'services: [', ''],
  ])('refuses a compose file with %s', (_, compose, key) => {
    expect(refused({ 'environment/docker-compose.yaml': compose })).toEqual([
      `environment/docker-compose.yaml: ${key}`,
    ]);
  });

  test('takes a compose file of one container with volumes of its own, and says that a .yml has no effect', () => {
    const { refusals, remarks } = survey(
      task({
        'environment/docker-compose.yaml': 'services: {main: {volumes: ["data:/data", {type: tmpfs, target: /t}]}}',
        'environment/docker-compose.yml': 'services: {main: {privileged: true}}',
      }),
    );
    expect([refusals, remarks.map(({ file }) => file)]).toEqual([[], ['environment/docker-compose.yml']]);
  });

  test('follows no symlink out of the task', () => {
    const folder = task({ 'instruction.md': null });
    symlinkSync('/etc/passwd', join(folder, 'instruction.md'));
    expect(survey(folder).refusals).toEqual([
      { file: 'instruction.md', key: '', reason: 'a link, which may point outside of the folder' },
    ]);
  });

  test.each([
    ['live', 'import requests\nrequests.get("http://localhost:8080/")\n', ''],
    ['live', 'subprocess.run("pgrep -f server", shell=True)\n', ''],
    ['same-image', 'open("/usr/local/bin/tool")\n', 'make install # puts /usr/local/bin/tool in place'],
    ['same-image', 'assert shutil.which("R") is None\n', ''],
    // Neither the instruction nor the solution names it: the tests' own.
    ['clean-room', 'open("/tmp/frame.bmp", "w")\n', ''],
    ['clean-room', '# see http://localhost:8080/\nopen("/app/out")\n', ''],
    ['live', 'expect = "spawn telnet $host $port"\n', ''],
    // The tests start what answers them.
    [
      'clean-room',
      'terminal.send("python -m http.server 8000 &")\nrequests.get("http://localhost:8000")\n',
      'cp terminal.py /app',
    ],
    ['live', 'run("python -m http.server 8000 &")\nrequests.get("http://localhost:8001")\n', ''],
    // And what makes the file that they wait for.
    [
      'clean-room',
      'subprocess.Popen(["node", "/app/vm.js"])\nframe = Path("/tmp/frame.bmp")\nwhile not frame.exists(): sleep(1)\n',
      'make # its frames go to /tmp/frame.bmp',
    ],
    // What it builds finds these libraries where they are installed.
    ['same-image', 'subprocess.run(["/app/tool"])\n', 'apt-get install -y \\\n  libhdf5-dev\nmake all\n'],
    ['clean-room', 'open("/app/out")\n', 'apt-get install -y libhdf5-dev\nmake all\n'],
  ])('says that tests are %s where they read %j', (verification, text, solution) => {
    const found = survey(task({ 'tests/test_outputs.py': text, 'solution/solve.sh': solution }));
    expect(found.verification).toBe(verification);
    expect(found.evidence === null).toBe(verification === 'clean-room');
  });

  test('says so, too, of what the agent may install for the system', () => {
    const told = 'Write /app/main.py. You may install system-wide python packages.';
    expect(survey(task({ 'instruction.md': told }))).toMatchObject({
      verification: 'same-image',
      evidence: { file: 'instruction.md', text: 'install system-wide' },
    });
  });

  test('marks tests that load the code or the pickles of the agent, or start from its folder', () => {
    for (const text of [
      'import sys\nsys.path.insert(0, "/app")\nimport solution\n',
      'model = torch.load("/app/model.pt")\n',
      'from solution import solve\n',
    ])
      expect(
        survey(task({ 'tests/test_outputs.py': text, 'instruction.md': 'Write solution.py.' })).inProcess,
      ).toMatchObject({
        file: 'tests/test_outputs.py',
      });
    for (const line of [
      'python -m pytest /tests/test_outputs.py',
      'python3 -u -m pytest x',
      'python3 - <<END',
      'uv venv .tb',
      'source .tb/bin/activate',
      'PYTHONPATH=. pytest x',
    ])
      expect(survey(task({ 'tests/test.sh': `${line}\n` })).inProcess).toMatchObject({ file: 'tests/test.sh' });
    for (const script of [
      'uvx pytest /tests/test_outputs.py',
      'cd /tests\npython -m pytest x',
      'python3 -I -m pytest x',
      'python3 /tests/run.py',
      'source $HOME/.local/bin/env',
      '# python -m pytest',
    ])
      expect(survey(task({ 'tests/test.sh': `${script}\n` })).inProcess).toBeNull();
    const ofTests = { 'tests/test_outputs.py': 'from helper import x\nimport json\n', 'tests/helper.py': 'x = 1\n' };
    expect(survey(task({ ...ofTests, 'instruction.md': 'Read helper.py.' })).inProcess).toBeNull();
  });
});
