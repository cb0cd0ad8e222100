import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { promptVariables } from '../../../domain/agent/messages.js';
import { taskSchema, type TaskSpec } from '../../../domain/task/task.js';
import { loadAgent } from '../../../catalog/index.js';

export const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
const taskFolder = (task: string): string => join(REPOSITORY, 'configs', 'tasks', task);
export const taskText = (task: string, file: string): string => readFileSync(join(taskFolder(task), file), 'utf8');
export const taskSpec = (task: string): TaskSpec => taskSchema.parse(parse(taskText(task, 'task.yaml')));

/** What agents are told. */
export function promptOf(task: string): string {
  const agent = loadAgent([join(REPOSITORY, 'configs')], 'default').config;
  const variables = promptVariables({ task: taskSpec(task), agent, maxSteps: 50 }, '/w');
  return (variables['task'] as { description: string }).description;
}

/** Run Python with the evaluator's library and folders of a task; returns its JSON. */
export async function pythonOf(task: string, code: string, options: { folders?: string[]; python?: string } = {}) {
  const places = (options.folders ?? ['evaluator']).map((folder) => join(taskFolder(task), folder));
  const path = [join(REPOSITORY, 'images', 'evaluator'), join(REPOSITORY, 'datasets'), ...places];
  const prelude = `import json, sys\nsys.dont_write_bytecode = True\nsys.path[:0] = ${JSON.stringify(path)}\n`;
  const { stdout } = await execa(options.python ?? 'python3', ['-c', prelude + code]);
  return JSON.parse(stdout) as unknown;
}

/** Output of prepare.py, and its leaks; `change`: Python that may change the module `prepare`. */
export async function prepared(
  task: string,
  { change = '', sources = {} }: { change?: string; sources?: Record<string, string> } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'bench-test-task-data-'));
  try {
    for (const folder of ['agent', 'hidden']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'sources.json'), JSON.stringify(sources));
    return (await pythonOf(
      task,
      `
import hashlib, os
sys.path.insert(0, ${JSON.stringify(taskFolder(task))})
import prepare, leak_scan
from bench_tasks.prepare import Data
${change}
root = ${JSON.stringify(root)}
sources = json.load(open(root + "/sources.json"))
agent, hidden = root + "/agent", root + "/hidden"
prepare.prepare(Data({"task": "${task}", "sample": not sources, "sources": sources, "agent": agent, "hidden": hidden}))
digest, files = hashlib.sha256(), {}
for name, path in leak_scan.files_of(agent, ()) + leak_scan.files_of(hidden, ()):
    content = open(path, "rb").read()
    digest.update(("%s %d " % (os.path.relpath(path, root), len(content))).encode() + content)
    files[os.path.relpath(path, root)] = content.decode("utf-8", "replace") if len(content) < 20000 else ""
folder = ${JSON.stringify(taskFolder(task))}
leaks = leak_scan.leaks([agent, folder + "/starter"], [hidden, folder + "/evaluator"])
print(json.dumps({"digest": digest.hexdigest(), "files": files, "leaks": leaks}))`,
    )) as { digest: string; files: Record<string, string>; leaks: string[] };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
