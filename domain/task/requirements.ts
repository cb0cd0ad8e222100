import { z } from 'zod';
import type { EvaluatorSpec } from './evaluator-spec.js';
import { relativeFile } from '../text/relative-file.js';

/** Installed into image layers before a run, never during one. */
export const requirementsSchema = z.strictObject({
  /** Requirements file for the agent's image, in the task's folder; see checkRequirements. */
  agent: relativeFile.optional(),
  /** The same for the evaluator's image. */
  evaluator: relativeFile.optional(),
  /** Debian packages for both images: `name` or `name=version`. */
  apt: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+(?:=[A-Za-z0-9.+:~-]+)?$/, 'a Debian package: name or name=version'))
    .default([]),
  /** Starter, oracle and evaluator work without them: playable where nothing can be installed. */
  optional: z.boolean().optional(),
});
export type TaskRequirements = z.infer<typeof requirementsSchema>;

/** Of one image; null: the plain image suffices. */
export interface LayerRequirements {
  taskId: string;
  /** Host folder that `file` and its wheels are relative to. */
  taskDir: string;
  file: string | null;
  apt: readonly string[];
  /** Lines of a requirements file without a folder; then `file` is only its name. */
  lines?: readonly string[];
  /** Its packages come without what they depend on. */
  noDeps?: true;
  /** The image is built from the task's environment/; absent: from bench's. */
  harbor?: Extract<EvaluatorSpec, { kind: 'harbor' }>;
}

/** A program's Python packages, in layers on top of the task's. */
export function programLayers({ pip, pipNoDeps }: Record<'pip' | 'pipNoDeps', readonly string[]>): LayerRequirements[] {
  const layer = { taskId: 'program', taskDir: '/', file: 'program.txt', apt: [] };
  return [
    ...(pip.length === 0 ? [] : [{ ...layer, lines: pip }]),
    ...(pipNoDeps.length === 0 ? [] : [{ ...layer, lines: pipNoDeps, noDeps: true as const }]),
  ];
}

/** Of the agent's or the evaluator's image. */
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

export type Requirement =
  | { kind: 'pinned'; line: number; name: string }
  /** A wheel or source archive in the task's folder, as a relative path. */
  | { kind: 'archive'; line: number; path: string };

const PINNED =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9._, -]+\])?\s*==\s*[A-Za-z0-9][A-Za-z0-9.!+_-]*\s*(?:;[^\\]*?)?(?:\s+--hash=sha256:[0-9a-f]{64})*$/;
const ARCHIVE = /^(?:\.\/)?([A-Za-z0-9][A-Za-z0-9._+/-]*\.(?:whl|tar\.gz|zip))(?:\s+--hash=sha256:[0-9a-f]{64})*$/;

/**
 * Reads the subset of requirements files that always gives the same image: `name==version`,
 * optionally with extras, marker and hashes, or an archive in the task's folder.
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
