import type Docker from 'dockerode';
import { statusOf } from './engine-errors.js';

const REPOSITORY = 'bench-used';
const DAY_MS = 24 * 3_600_000;

export interface ImageUse {
  home: string;
  /** End of that day. */
  until: number;
}

/** In this process: one mark a day is enough. */
const marked = new WeakMap<Docker, Set<string>>();

/** Tags an image as used today, so that other homes do not prune it. A failure costs a build. */
export async function markUsed(docker: Docker, ref: string, home: string, now = new Date()): Promise<void> {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const ofEngine = marked.get(docker) ?? new Set<string>();
  marked.set(docker, ofEngine);
  const key = `${ref} ${home} ${day}`;
  if (ofEngine.has(key)) return;
  ofEngine.add(key);
  try {
    const image = docker.getImage(ref);
    const { Id: id, RepoTags: tags } = await image.inspect();
    const repo = `${REPOSITORY}/${home}`;
    const tag = `${day}-${id.replace('sha256:', '').slice(0, 16)}`;
    await image.tag({ repo, tag });
    const former = (tags ?? []).filter((one) => plain(one).startsWith(`${repo}:`) && !one.endsWith(`:${tag}`));
    for (const one of former) await docker.getImage(one).remove().catch(unlessGone);
  } catch {
    ofEngine.delete(key);
  }
}

/** Null: not such a tag. */
export function useOf(ref: string): ImageUse | null {
  const [, home, year, month, day] = /^bench-used\/([^:/]+):(\d{4})(\d\d)(\d\d)-/.exec(plain(ref)) ?? [];
  if (home === undefined) return null;
  return { home, until: Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS };
}

/** Podman prefixes its own registry. */
export const plain = (ref: string): string => ref.replace(/^localhost\//, '');

function unlessGone(error: unknown): void {
  if (statusOf(error) !== 404) throw error;
}
