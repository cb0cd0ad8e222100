import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { extract, pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { readWhole } from '../../../../backends/docker/collect-whole.js';

type Entry = { name: string; type?: 'file' | 'directory' | 'symlink' | 'link'; linkname?: string; text?: string };

async function snapshot(entries: readonly Entry[]): Promise<AsyncIterable<Uint8Array>> {
  const archive = pack();
  for (const { text = '', ...header } of entries) {
    const plain = header.type === undefined || header.type === 'file';
    archive.entry({ mode: 0o6755, ...header, size: plain ? text.length : 0 }, plain ? text : '');
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Readable.from([gzipSync(Buffer.concat(chunks))]);
}

const whole = { workdir: '/app', besides: false };
const taken = async (entries: readonly Entry[], besides = false) =>
  await readWhole(await snapshot(entries), 1000, { ...whole, besides });

async function names(bytes: Buffer): Promise<string[]> {
  const archive = extract();
  Readable.from([bytes]).pipe(archive);
  const found: string[] = [];
  for await (const entry of archive) {
    const { name, type, linkname, mode, uid } = entry.header;
    found.push([name, type, mode?.toString(8), uid, linkname ?? ''].join(' ').trim());
    entry.resume();
  }
  return found;
}
const link = (linkname: string, name = 'workspace/deep/answer'): Entry => ({ name, type: 'symlink', linkname });

describe('a working folder as a submission', () => {
  test('keeps modes without set-id bits, and links that stay inside, under the name that the verifier has', async () => {
    const found = await taken([
      { name: 'shell/state', text: 'x' },
      { name: 'home/notes', text: 'mine' },
      { name: 'workspace/deep', type: 'directory' },
      { name: 'workspace/deep/a', text: 'one' },
      link('../b', 'workspace/deep/up'),
      link('/app/b', 'workspace/deep/own'),
      link('/home/agent/workspace/b', 'workspace/deep/here'),
      link('/usr/bin/python3', 'workspace/deep/python'),
      { name: 'workspace/c', type: 'link', linkname: 'workspace/deep/a' },
    ]);
    if (found.kind !== 'files') throw new Error(found.kind);
    expect(found.files.map(({ path }) => path)).toEqual(['workspace.tar']);
    expect(await names(found.files[0]!.bytes)).toEqual([
      'deep directory 755 0',
      'deep/a file 755 0',
      'deep/up symlink 755 0 ../b',
      'deep/own symlink 755 0 ../b',
      'deep/here symlink 755 0 ../b',
      'deep/python symlink 755 0 /usr/bin/python3',
      'c link 755 0 deep/a',
    ]);
  });

  test.each([
    ['/tests/expected.txt'],
    ['../../tests/expected.txt'],
    ['here/../../../tests'],
    ['/app/../tests/expected.txt'],
    ['/usr/bin/../../tests/expected.txt'],
    ['/logs/verifier/reward.txt'],
    ['/'],
  ])('a link to %s is refused', async (target) => {
    await expect(taken([link(target)])).rejects.toThrow(/deep\/answer is a link to .*, outside of the working folder/);
  });

  test('so are another name of a file elsewhere, and more bytes than allowed', async () => {
    const other: Entry = { name: 'workspace/x', type: 'link', linkname: 'home/secret' };
    await expect(taken([{ name: 'home/secret', text: 's' }, other])).rejects.toThrow(/also a file outside/);
    await expect(taken([{ name: 'workspace/x', text: 'x'.repeat(1001) }])).rejects.toThrow(/more than 1000 bytes/);
  });

  test("with the agent's other files where wanted, but not what shells and tools read first", async () => {
    const found = await taken(
      [
        { name: 'home/.bashrc', text: 'evil' },
        { name: 'home/tool', text: 'good' },
        { name: 'tmp/x', text: '' },
      ],
      true,
    );
    if (found.kind !== 'files') throw new Error(found.kind);
    const archives = await Promise.all(found.files.map(async ({ path, bytes }) => [path, await names(bytes)]));
    expect(archives).toEqual([
      ['workspace.tar', []],
      ['home.tar', ['tool file 755 0']],
      ['tmp.tar', ['x file 755 0']],
    ]);
  });
});
