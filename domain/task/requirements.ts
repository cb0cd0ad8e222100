import { z } from 'zod';
import type { EvaluatorSpec } from './evaluator-spec.js';
import { relativeFile } from '../text/relative-file.js';

/** What a task needs beyond the plain images: installed into image layers before a run, never during one. */
export const requirementsSchema = z.strictObject({
  /** Requirements file for the agent's image, relative to the task's folder; see checkRequirements. */
  agent: relativeFile.optional(),
  /** The same for the evaluator's image. */
  evaluator: relativeFile.optional(),
  /** Debian packages for both images: `name` or `name=version`. */
  apt: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+(?:=[A-Za-z0-9.+:~-]+)?$/, 'a Debian package: name or name=version'))
    .default([]),
  /** True: starter, oracle and evaluator do without, so that the task can be played where nothing can be installed. */
  optional: z.boolean().optional(),
});
export type TaskRequirements = z.infer<typeof requirementsSchema>;

/** Which of a task's requirements go into one image; null: the plain image will do. */
export interface LayerRequirements {
  /** For messages. */
  taskId: string;
  /** Host folder that `file` and the wheels named in it are relative to. */
  taskDir: string;
  file: string | null;
  apt: readonly string[];
  /** Lines of a requirements file that stands in no folder; then `file` is only its name. */
  lines?: readonly string[];
  /** The image is made of the task's own environment/; absent: of bench's. */
  harbor?: Extract<EvaluatorSpec, { kind: 'harbor' }>;
}

/** The layer with a program's Python packages, on top of the task's; null: it has none. */
export const programLayer = ({ pip }: { pip: readonly string[] }): LayerRequirements | null =>
  pip.length === 0 ? null : { taskId: 'program', taskDir: '/', file: 'program.txt', apt: [], lines: pip };

/** The layer that a task needs on the agent's or the evaluator's image, or null. */
export function layerOf(
  task: { id: string; requirements?: TaskRequirements | undefined; evaluator?: EvaluatorSpec },
  kind: 'agent' | 'evaluator',
  taskDir: string,
): LayerRequirements | null {
  if (task.evaluator?.kind === 'harbor')
    return { taskId: task.id, taskDir, file: null, apt: [], harbor: task.evaluator };
  const file = task.requirements?.[kind] ?? null;
  const apt = task.requirements?.apt ?? [];
  return file === null && apt.length === 0 ? null : { taskId: task.id, taskDir, file, apt };
}

/** A line of a requirements file that names something. */
export type Requirement =
  | { kind: 'pinned'; line: number; name: string }
  /** A wheel or source archive in the task's folder, as a relative path. */
  | { kind: 'archive'; line: number; path: string };

const PINNED =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9._, -]+\])?\s*==\s*[A-Za-z0-9][A-Za-z0-9.!+_-]*\s*(?:;[^\\]*?)?(?:\s+--hash=sha256:[0-9a-f]{64})*$/;
const ARCHIVE = /^(?:\.\/)?([A-Za-z0-9][A-Za-z0-9._+/-]*\.(?:whl|tar\.gz|zip))(?:\s+--hash=sha256:[0-9a-f]{64})*$/;

/**
 * Read a requirements file in the narrow form that gives the same image tomorrow: `name==version`, with extras, marker and
 * hashes if wanted, or an archive in the task's folder. No options, addresses, nested files.
 */
export function readRequirements(text: string): {
  requirements: Requirement[];
  problems: { line: number; message: string }[];
} {
  const requirements: Requirement[] = [];
  const problems: { line: number; message: string }[] = [];
  for (const { line, content } of logicalLines(text)) {
    const archive = ARCHIVE.exec(content)?.[1];
    const name = PINNED.exec(content)?.[1];
    if (archive !== undefined && !archive.split('/').includes('..'))
      requirements.push({ kind: 'archive', line, path: archive });
    else if (name !== undefined) requirements.push({ kind: 'pinned', line, name });
    else problems.push({ line, message: complaint(content) });
  }
  return { requirements, problems };
}

function logicalLines(text: string): { line: number; content: string }[] {
  const lines: { line: number; content: string }[] = [];
  let open = false;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const continues = raw.endsWith('\\');
    const content = (continues ? raw.slice(0, -1) : raw).replace(/(?:^|\s)#.*$/, '').trim();
    const last = lines.at(-1);
    if (open && last !== undefined) last.content = `${last.content} ${content}`.trim();
    else lines.push({ line: index + 1, content });
    open = continues;
  }
  return lines.filter(({ content }) => content !== '');
}

function complaint(content: string): string {
  const found = JSON.stringify(content.slice(0, 80));
  if (content.startsWith('-'))
    return `${found}: options are not taken; where packages come from is the builder's setting (docs/reference/images.md)`;
  if (/:\/\/|\s@\s/.test(content))
    return `${found}: addresses are not taken; put the wheel into the task's folder and name its path`;
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]]*\])?\s*(?:$|[<>~!=])/.test(content))
    return `${found} is not pinned; write name==version`;
  return `${found} is neither name==version nor the path of a wheel in the task's folder`;
}
