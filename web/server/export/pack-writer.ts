import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BenchError } from '../../../domain/errors.js';

const deflate = promisify(gzip);
/** Beyond it browsers take long to open one file. */
const SINGLE_BYTES = 50 * 1024 * 1024;

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

export interface PackWriter {
  readonly files: Map<string, string>;
  write(name: string, entries: ReadonlyMap<string, string>): Promise<string>;
}

async function packed(
  name: string,
  entries: ReadonlyMap<string, string>,
): Promise<{ file: string; base64: string; bytes: number }> {
  const text = `{${[...entries].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
  const base64 = (await deflate(text)).toString('base64');
  const slug = name.replace(/[^\w-]+/g, '-').slice(0, 60);
  return { file: `${slug}-${sha256(base64).slice(0, 16)}.js`, base64, bytes: Buffer.byteLength(text) };
}

/** Each pack is a script in the existing `data/`, named by its content. */
export function packsInFolder(folder: string, hashes: Map<string, string>): PackWriter {
  const files = new Map<string, string>();
  return {
    files,
    async write(name, entries) {
      const { file, base64 } = await packed(name, entries);
      const script = `benchPack(${JSON.stringify(file)},"${base64}")\n`;
      await writeFile(join(folder, 'data', file), script);
      hashes.set(`data/${file}`, sha256(script));
      files.set(name, file);
      return file;
    },
  };
}

/** Packs are inert blocks of one document. */
export function packsInOne(): PackWriter & { blocks: () => string } {
  const [files, blocks] = [new Map<string, string>(), new Map<string, string>()];
  let bytes = 0;
  return {
    files,
    async write(name, entries) {
      const one = await packed(name, entries);
      bytes += one.bytes;
      if (bytes > SINGLE_BYTES)
        throw new BenchError('usage', 'this is more than 50 MB of text: too much for one file', {
          code: 'request.too_large',
          remedy: 'Write a folder, name fewer runs, or leave something out.',
          fields: { output: '<folder>' },
        });
      files.set(name, one.file);
      blocks.set(one.file, one.base64);
      return one.file;
    },
    blocks: () =>
      [...blocks]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([file, base64]) => `<script type="application/octet-stream" data-pack="${file}">${base64}</script>`)
        .join('\n'),
  };
}
