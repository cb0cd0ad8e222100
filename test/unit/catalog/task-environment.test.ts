import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../catalog/config-error.js';
import { loadTask } from '../../../catalog/index.js';
import { configs, taskYaml } from './fixtures.js';

const load = (addition: string, files: Record<string, string> = {}) =>
  loadTask([configs({ 'tasks/coin/task.yaml': taskYaml + addition, ...files })], 'coin').spec;

function problemsOf(addition: string, files: Record<string, string> = {}) {
  try {
    load(addition, files);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the task was accepted');
}

describe("a task's network", () => {
  it('is none unless the task says otherwise', () => {
    expect(load('').network).toBe('none');
    expect(load('network: open\n').network).toBe('open');
  });

  it('takes names, suffixes, ports and single addresses', () => {
    const allow = ['pypi.example', '*.hub.example', 'mirror:8080', '*.hub.example:8443', '192.0.2.7:80'];
    expect(load(`network: { allow: ${JSON.stringify(allow)} }\n`).network).toEqual({ allow, allowPrivate: false });
  });

  it.each([
    ['https://pypi.example', 'without a scheme'],
    ['pypi.example/simple', 'without a scheme or a path'],
    ['*', 'write host'],
    ['*.com', 'a whole top-level domain'],
    ['*.192.0.2.7', 'before names only'],
    ['0x7f.1', 'is not a host name'],
    ['2130706433', 'is not a host name'],
    ['a.example:70000', 'is not a port'],
    ['a..example', 'is not a host name'],
  ])('does not take %s', (entry, message) => {
    const [problem] = problemsOf(`network:\n  allow:\n    - good.example\n    - ${JSON.stringify(entry)}\n`);
    expect(problem).toMatchObject({ key: 'network.allow.1', line: taskYaml.split('\n').length + 3 });
    expect(problem?.message).toContain(message);
  });

  it('says what may be written when it is something else', () => {
    expect(problemsOf('network: internet\n')[0]).toMatchObject({ key: 'network' });
    expect(problemsOf('network: internet\n')[0]?.message).toContain('expected none, open, or allow');
    expect(problemsOf('network: { allow: [] }\n')[0]?.message).toContain('name at least one host');
  });
});

describe("a task's requirements", () => {
  const yaml = 'requirements: { agent: requirements.txt }\n';
  const withFile = (text: string, files: Record<string, string> = {}) =>
    problemsOf(yaml, { 'tasks/coin/requirements.txt': text, ...files });

  it('are pinned packages and archives in the folder', () => {
    const text = [
      '# comment',
      'numpy==1.26.4',
      'scikit-learn [extra] == 1.4.2 ; python_version < "3.13"  # why',
      `six==1.16.0 \\\n  --hash=sha256:${'a'.repeat(64)}`,
      './wheels/own-1.0-py3-none-any.whl',
      '',
    ].join('\n');
    const spec = load(yaml, {
      'tasks/coin/requirements.txt': text.replace(' [extra] ', '[extra] '),
      'tasks/coin/wheels/own-1.0-py3-none-any.whl': 'zip',
    });
    expect(spec.requirements).toEqual({ agent: 'requirements.txt', apt: [] });
  });

  it.each([
    ['numpy', 'is not pinned'],
    ['numpy>=1.26', 'is not pinned'],
    ['numpy==1.26,<2', 'is not pinned'],
    ['numpy==1.*', 'is not pinned'],
    ['-r other.txt', 'options are not taken'],
    ['--index-url https://mirror.example/simple', 'options are not taken'],
    ['own @ https://mirror.example/own.whl', 'addresses are not taken'],
    ['git+https://git.example/own', 'addresses are not taken'],
    ['wheels/absent-1.0-py3-none-any.whl', 'no file wheels/absent-1.0-py3-none-any.whl'],
    ['../../own-1.0-py3-none-any.whl', 'neither name==version'],
  ])('do not take the line %s, and say where it stands', (line, message) => {
    const [problem] = withFile(`six==1.16.0\n\n${line}\n`);
    expect(problem?.file).toMatch(/coin\/requirements\.txt$/);
    expect(problem?.line).toBe(3);
    expect(problem?.message).toContain(message);
  });

  it('name a file that is there', () => {
    expect(problemsOf(yaml)[0]).toMatchObject({ key: 'requirements.agent' });
    expect(problemsOf('requirements: { evaluator: ../x.txt }\n')[0]).toMatchObject({ key: 'requirements.evaluator' });
  });

  it('take Debian packages by name only', () => {
    expect(load('requirements: { apt: [libgomp1, graphviz=2.42.2-7+deb12u1] }\n').requirements?.apt).toHaveLength(2);
    expect(problemsOf('requirements: { apt: ["git; id"] }\n')[0]).toMatchObject({ key: 'requirements.apt.0' });
    expect(problemsOf('requirements: { apt: ["--allow-x"] }\n')[0]).toMatchObject({ key: 'requirements.apt.0' });
  });
});
