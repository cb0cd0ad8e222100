import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { imagesFor } from '../../../activities/shown-images.js';
import { takeImages } from '../../../activities/take-images.js';
import { offeredCommands, showsImages } from '../../../domain/agent/offered-commands.js';
import { MOST_IMAGE_BYTES } from '../../../domain/model/images.js';
import type { ExecResult, SandboxExec } from '../../../domain/ports/sandbox-port.js';
import { modelConfigSchema } from '../../../domain/model/config.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import type { CommandOutcome } from '../../../domain/ports/sandbox-port.js';
import { agentConfig } from '../../fakes/records.js';

function png(width: number, height: number, size = 40): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
const idOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const left = (name: string, bytes: Buffer): string => `[image file ${idOf(bytes)}: ${name}, ${bytes.length} bytes]`;

/** A sandbox that has these files. */
async function take(lines: string[], files: Buffer[], provider = 'openai') {
  const asked: SandboxExec[] = [];
  const sandbox = {
    exec: async (_: unknown, exec: SandboxExec): Promise<ExecResult> => {
      asked.push(exec);
      const found = files.find((file) => idOf(file) === exec.argv[2]);
      const stream = (kept: Buffer) => ({ kept, bytes: kept.length, truncated: false });
      return {
        ...{ kind: 'ended', exitCode: found === undefined ? 1 : 0, signal: null, timedOut: false, stoppedBy: null },
        ...{ stdout: stream(found ?? Buffer.from('gone')), stderr: stream(Buffer.alloc(0)), ms: 1 },
      };
    },
  };
  const { outcome, images } = await takeImages(
    sandbox,
    { ref: { runId: 'r', epoch: 1 }, n: 7, model: { name: 'm', kind: 'real', provider, model: 'm' } },
    { output: lines.join('\n') } as CommandOutcome,
    new AbortController().signal,
  );
  return { asked, lines: outcome.output.split('\n'), images };
}

it('an image that a command left is taken once, under a key of the command', async () => {
  const [one, two] = [png(640, 480), png(10, 2000)];
  const given = ['before', left('a.png', one), left('b.png', two), left('a.png', one)];
  const { asked, lines, images } = await take(given, [one, two]);
  expect(asked.map(({ key, argv }) => [key, ...argv])).toEqual([
    ['image-7-0', 'view_image', '--bytes', idOf(one)],
    ['image-7-1', 'view_image', '--bytes', idOf(two)],
  ]);
  expect(lines).toEqual([
    'before',
    `[image a.png: image/png, 640 x 480, 40 bytes, id ${idOf(one)}]`,
    `[image b.png: image/png, 10 x 2000, 40 bytes, id ${idOf(two)}]`,
    `[image a.png: image/png, 640 x 480, 40 bytes, id ${idOf(one)}]`,
  ]);
  expect(images).toEqual([
    { id: idOf(one), type: 'image/png', bytes: one },
    { id: idOf(two), type: 'image/png', bytes: two },
  ]);
});

const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([9, 0, 9, 0, 0])]);
it.each([
  ['text under the name of an image', Buffer.from('no image'), 'no PNG, JPEG, GIF or WebP'],
  ['too many pixels', png(2001, 10), '2001 x 10 pixels, and at most 2000 x 2000'],
  ['too many bytes', png(10, 10, MOST_IMAGE_BYTES + 1), 'more than 3145728 bytes'],
  ['a GIF for Gemini', gif, 'GIF files cannot be shown'],
])('%s is not shown, and the line says why', async (_, file, why) => {
  const { lines, images } = await take([left('x.png', file)], [file], 'gemini');
  expect(lines[0]).toMatch(/^\[image x\.png: not shown: /);
  expect(lines[0]).toContain(why);
  expect(images).toEqual([]);
});

it('a line that no command left shows nothing, and of one call four images are shown', async () => {
  const files = [1, 2, 3, 4, 5].map((width) => png(width, 1));
  expect((await take([left('x.png', files[0]!)], [])).lines[0]).toContain('could not be read');
  const { lines, images } = await take(
    files.map((file, at) => left(`${at}.png`, file)),
    files,
  );
  expect(images).toHaveLength(4);
  expect(lines[4]).toContain('at most 4 images');
});

const command = (name: string) => ({ name, docstring: 'd', arguments: [] });
const runWith = (config: object | undefined, commands = ['view_image', 'submit']) =>
  ({
    runId: 'r',
    agent: agentConfig({ tools: { documentation: 'compact', environment: {}, commands: commands.map(command) } }),
    model: {
      ...{ name: 'm', kind: 'real', provider: 'openai', model: 'm' },
      ...(config !== undefined && {
        config: modelConfigSchema.parse({
          ...{ schema: 1, description: 'd', provider: 'openai', model: 'm', apiKeyVariable: 'K' },
          ...{ contextWindow: 1000, maxOutputTokens: 100, ...config },
        }),
      }),
    },
  }) as unknown as RunDefinition;

it('models that see no images have no tool for them', () => {
  const compatible = { provider: 'openai-compatible', baseUrl: 'http://x/v1' };
  const sees = [{}, { ...compatible, images: true }, compatible, { images: false }, undefined].map((config) => [
    offeredCommands(runWith(config)).length,
    showsImages(runWith(config)),
  ]);
  expect(sees).toEqual([
    [2, true],
    [2, true],
    [1, false],
    [1, false],
    [1, false],
  ]);
  expect(showsImages(runWith({}, ['submit']))).toBe(false);
});

it('a prompt comes with the images that its texts name, and no reply', async () => {
  const one = png(1, 1);
  const asked: (readonly string[])[] = [];
  const store = {
    images: async (_: string, ids: readonly string[]) => {
      asked.push(ids);
      return [{ id: idOf(one), type: 'image/png' as const, bytes: one }];
    },
  };
  const content = `[image a.png: image/png, 1 x 1, 40 bytes, id ${idOf(one)}]`;
  const shown = await imagesFor(store, runWith({}), [{ role: 'tool', content }]);
  expect(shown.images?.get(idOf(one))?.bytes).toBe(one);
  expect(await imagesFor(store, runWith({}), [{ role: 'assistant', content }])).toEqual({});
  expect(await imagesFor(store, runWith({ images: false }), [{ role: 'user', content }])).toEqual({});
  expect(asked).toEqual([[idOf(one)]]);
});
