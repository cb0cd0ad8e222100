import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dockerfileRefusals, isOfThisEngine, withoutSyntax } from '../../../domain/harbor/dockerfile-images.js';
import { valueAt } from '../../../domain/harbor/task-file.js';
import { plainPath } from '../import/plain-path.js';

/** Replaces other base images: `from` may contain `*`. */
export interface BaseMapping {
  from: string;
  to: string;
}

const mappingOf = (image: string, bases: readonly BaseMapping[]): string | undefined =>
  bases.find(({ from }) =>
    new RegExp(`^${from.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(image),
  )?.to;

const mapped = (image: string, bases: readonly BaseMapping[]): string => mappingOf(image, bases) ?? image;

/**
 * The Dockerfile to build: the task's own, or one from its named image. Base images are mapped as
 * the user asks. It ends as root, since bench adds layers and agents have their own user.
 */
export function ownDockerfile(
  folder: string,
  toml: Readonly<Record<string, unknown>>,
  { bases, build }: { bases: readonly BaseMapping[]; build: boolean },
  refuse: (file: string, key: string, reason: string) => void,
): string {
  const path = join(folder, 'environment', 'Dockerfile');
  const own = plainPath(folder, 'environment/Dockerfile').kind === 'file' ? readFileSync(path, 'utf8') : null;
  const named = valueAt(toml, 'environment.docker_image');
  if (named !== undefined && (typeof named !== 'string' || !/^[\w][\w./:@-]*$/.test(named)))
    refuse('task.toml', 'environment.docker_image', `${JSON.stringify(named)} is not an image`);
  if (own === null && build)
    refuse('environment/Dockerfile', '', 'there is none to build: import without building, to take the image');
  const image = typeof named === 'string' && !build ? named : null;
  const allowed = (one: string): boolean => mappingOf(one, bases) !== undefined;
  if (image !== null && isOfThisEngine(image) && !allowed(image))
    refuse('task.toml', 'environment.docker_image', `${image} is an image of this engine, which no registry has`);
  if (image === null)
    for (const { key, reason } of dockerfileRefusals(own ?? '', allowed)) refuse('environment/Dockerfile', key, reason);
  const text = image === null ? onBases(withoutSyntax(own ?? ''), bases) : `FROM ${mapped(image, bases)}\n`;
  const env = valueAt(toml, 'environment.env');
  const variables = Object.entries(typeof env === 'object' && env !== null ? env : {}).map(
    ([name, value]) => `ENV ${name}=${JSON.stringify(plain(String(value)))}`,
  );
  return [text.trimEnd(), '', '# Added by the import.', ...variables, 'USER root', 'HEALTHCHECK NONE', ''].join('\n');
}

/** In a Dockerfile `$` begins a variable; a default stands for a host's variable. */
const plain = (value: string): string => value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll('$', '\\$');

/** Stages that build on an earlier one keep its name. */
function onBases(text: string, bases: readonly BaseMapping[]): string {
  const stages = new Set<string>();
  return text
    .split('\n')
    .map((line) => {
      const [, begin, image, end = ''] = /^(\s*FROM\s+(?:--\S+\s+)*)(\S+)(.*)$/i.exec(line) ?? [];
      if (begin === undefined || image === undefined) return line;
      const stage = /^\s+AS\s+(\S+)/i.exec(end)?.[1];
      const to = stages.has(image.toLowerCase()) ? image : mapped(image, bases);
      if (stage !== undefined) stages.add(stage.toLowerCase());
      return `${begin}${to}${end}`;
    })
    .join('\n');
}
