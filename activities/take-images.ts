import { createHash } from 'node:crypto';
import { imageFile } from '../domain/model/image-file.js';
import { VIEW_IMAGE } from '../domain/agent/offered-commands.js';
import { imageMark, LEFT_IMAGE, MOST_IMAGE_BYTES, MOST_IMAGE_SIDE, type StoredImage } from '../domain/model/images.js';
import type { CommandOutcome, SandboxPort, SandboxRef } from '../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../domain/run/run.js';

/** Of one call. */
const MOST_IMAGES = 4;
const SECONDS = 60;

/**
 * Takes the images that a command left out of the sandbox; each line that announces one then says
 * what it is, or why it is not shown. Keyed by the command's number, as the command itself.
 */
export async function takeImages(
  sandbox: Pick<SandboxPort, 'exec'>,
  { ref, n, model }: { ref: SandboxRef; n: number; model: RunDefinition['model'] },
  outcome: CommandOutcome,
  signal: AbortSignal,
): Promise<{ outcome: CommandOutcome; images: StoredImage[] }> {
  const left = outcome.output.includes('[image file ') ? [...outcome.output.matchAll(LEFT_IMAGE)] : [];
  const ids = [...new Set(left.map(([, id = '']) => id))];
  const taken = new Map<string, StoredImage | { problem: string }>();
  const lines = new Map<string, string>();
  for (const [line, id = '', name = ''] of left) {
    const at = ids.indexOf(id);
    const known = taken.get(id);
    const found =
      known ??
      (at < MOST_IMAGES
        ? await take(sandbox, { ref, key: `image-${n}-${at}`, id, provider: model.provider }, signal)
        : { problem: `at most ${MOST_IMAGES} images are shown of one call` });
    taken.set(id, found);
    lines.set(line, 'problem' in found ? `[image ${name}: not shown: ${found.problem}]` : described(name, found));
  }
  return {
    outcome: { ...outcome, output: outcome.output.replace(LEFT_IMAGE, (line) => lines.get(line) ?? line) },
    images: [...taken.values()].filter((found): found is StoredImage => !('problem' in found)),
  };
}

function described(name: string, { id, type, bytes }: StoredImage): string {
  const { width, height } = imageFile(Buffer.from(bytes)) ?? { width: 0, height: 0 };
  return imageMark(name, { id, type, width, height, size: bytes.length });
}

const NOT_READ = 'it could not be read; look at it again';

async function take(
  sandbox: Pick<SandboxPort, 'exec'>,
  { ref, key, id, provider }: { ref: SandboxRef; key: string; id: string; provider: string },
  signal: AbortSignal,
): Promise<StoredImage | { problem: string }> {
  const argv = [VIEW_IMAGE, '--bytes', id];
  const result = await sandbox.exec(
    ref,
    { key, argv, timeLimitSeconds: SECONDS, outputLimitBytes: MOST_IMAGE_BYTES + 1 },
    signal,
  );
  if (result.kind !== 'ended' || result.exitCode !== 0) return { problem: NOT_READ };
  const bytes = result.stdout.kept;
  if (createHash('sha256').update(bytes).digest('hex').slice(0, id.length) !== id) return { problem: NOT_READ };
  const found = imageFile(bytes);
  if (bytes.length > MOST_IMAGE_BYTES) return { problem: `it has more than ${MOST_IMAGE_BYTES} bytes` };
  if (found === null) return { problem: 'it is no PNG, JPEG, GIF or WebP file' };
  const { type, width, height } = found;
  if (Math.max(width, height) > MOST_IMAGE_SIDE)
    return {
      problem: `it has ${width} x ${height} pixels, and at most ${MOST_IMAGE_SIDE} x ${MOST_IMAGE_SIDE} are shown: save it smaller`,
    };
  // Google's models take no others.
  if (type === 'image/gif' && provider === 'gemini')
    return { problem: 'GIF files cannot be shown to this model: save it as PNG' };
  return { id, type, bytes };
}
