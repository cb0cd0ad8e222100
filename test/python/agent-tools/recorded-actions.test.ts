import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';
import { notTested } from '../../setup/not-tested.js';

compileTools();

const trajectories = join(import.meta.dirname, '../../../../shared/data/mlgym-bench-v0/trajectories');
const files = existsSync(trajectories)
  ? readdirSync(trajectories, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.traj'))
      .map((name) => join(trajectories, name))
      .sort()
  : [];
const RECORDED_WORKSPACE = '/home/agent/workspace';

interface Step {
  action: string;
  observation: string;
  state: string;
}

let commands: AgentCommands | undefined;
afterEach(() => commands?.remove());

/** A lone command of the editor, as a script with its body; undefined for any other action. */
function editorScript(action: string): string | undefined {
  const lines = action.replace(/\n+$/, '').split('\n');
  const [first = ''] = lines;
  const name = first.split(' ')[0]!;
  if (['open', 'goto', 'scroll_up', 'scroll_down', 'create', 'find_file'].includes(name)) {
    return lines.length === 1 ? first : undefined;
  }
  const terminator = `end_of_${name}`;
  if ((name !== 'edit' && name !== 'insert') || lines.indexOf(terminator) !== lines.length - 1) return undefined;
  return `${first} <<'${terminator}'\n${lines.slice(1).join('\n')}`;
}

/** Lines whose form is fixed stay; sentences become a sign. Places of errors are ours alone. */
function form(text: string, workspace: string): string[] {
  return text
    .replaceAll(workspace, RECORDED_WORKSPACE)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trimEnd().replace(/^(- [A-Z]\d+ .*) \(line \d+:\d+\)$/, '$1'))
    .map((line) =>
      /^(\d+:|\[File: |\(\d+ more lines (above|below)\)|- [A-Z]\d+ |ERRORS:$|-{49}$|Usage: |Found |\/)/.test(line)
        ? line
        : '<sentence>',
    );
}

/** The path and content of a file that an observation shows from its first line to its last. */
function wholeFile(observation: string): { path: string; content: string } | undefined {
  const found = /^\[File: (.*) \((\d+) lines total\)\]\n/m.exec(observation);
  if (found === null || /^-{49}$/m.test(observation)) return undefined;
  const lines: string[] = [];
  for (const line of observation.slice(found.index + found[0].length).split('\n')) {
    if (!line.startsWith(`${lines.length + 1}:`)) break;
    lines.push(line.slice(line.indexOf(':') + 1));
  }
  return lines.length === Number(found[2]) ? { path: found[1]!, content: `${lines.join('\n')}\n` } : undefined;
}

describe('recorded actions of real models', () => {
  if (files.length === 0)
    notTested('published runs of MLGym-Bench', `they are not part of the repository, and not at ${trajectories}`);

  it.skipIf(files.length === 0)('have the recorded results', { timeout: 300_000 }, async () => {
    let same = 0;
    const different: string[] = [];
    let changedOutside = 0;
    let checkerDied = 0;
    for (const file of files) {
      commands?.remove();
      const tools = (commands = new AgentCommands());
      const here = (path: string): string => path.replace(RECORDED_WORKSPACE, tools.workspace);
      /** Files whose content here must be what it was there. */
      const known = new Set<string>();
      let otherActions = false;
      let open: string | undefined;
      const { trajectory } = JSON.parse(readFileSync(file, 'utf8')) as { trajectory: Step[] };
      for (const [index, { action, observation }] of trajectory.entries()) {
        const script = editorScript(action);
        if (script === undefined) {
          otherActions = true;
          continue;
        }
        const shown = wholeFile(observation);
        const cwd =
          index === 0
            ? RECORDED_WORKSPACE
            : (JSON.parse(trajectory[index]!.state) as { working_dir: string }).working_dir;
        mkdirSync(here(cwd), { recursive: true });
        const target = /^(?:open|create) "?([^" ]+)/.exec(script)?.[1];
        const path = target === undefined ? open : (shown?.path ?? resolve(cwd, target));
        const seed = (): void => {
          mkdirSync(dirname(here(shown!.path)), { recursive: true });
          writeFileSync(here(shown!.path), shown!.content);
          // Evaluators were read-only there.
          if (shown!.path.endsWith('/evaluate.py')) chmodSync(here(shown!.path), 0o555);
          known.add(shown!.path);
        };
        if (script.startsWith('open') && shown !== undefined && !known.has(shown.path)) {
          // The first sight of a file: it is put there, and what follows is compared.
          seed();
          await tools.output(`cd ${here(cwd)} && ${script}`);
          open = shown.path;
          continue;
        }
        if (script.startsWith('create') && shown !== undefined) {
          mkdirSync(dirname(here(shown.path)), { recursive: true });
          known.add(shown.path);
        } else if (path === undefined || !known.has(path)) continue;
        // The checker of that time died of a warning and let everything pass.
        if (observation.startsWith('Traceback')) {
          checkerDied += 1;
          if (shown !== undefined) seed();
          continue;
        }
        const { output } = await tools.shell(`cd ${here(cwd)} && ${script}`);
        if (shown !== undefined) open = shown.path;
        const [ours, theirs] = [form(output, tools.workspace), form(observation, RECORDED_WORKSPACE)];
        if (JSON.stringify(ours) === JSON.stringify(theirs)) same += 1;
        else if (otherActions && shown !== undefined && script.startsWith('open')) {
          changedOutside += 1;
          seed();
          await tools.output(`cd ${here(cwd)} && ${script}`);
        } else {
          different.push([dirname(file), index, script, '--- recorded', ...theirs, '--- here', ...ours].join('\n'));
          if (shown !== undefined) seed();
        }
        otherActions = false;
      }
    }
    console.log(
      `recorded actions: ${same} of ${same + different.length} with the recorded result, up to the wording of sentences; ` +
        `not compared: ${changedOutside} on files that other commands had changed, ${checkerDied} whose checker died then`,
    );
    expect(different).toEqual([]);
    expect(same).toBeGreaterThanOrEqual(114);
  });
});
