import { pack } from 'tar-stream';

export interface TarEntry {
  name: string;
  mode: number;
  /** Null: a folder. */
  bytes: Buffer | null;
  uid?: number;
  gid?: number;
}

/** An archive in memory. Times are zero, so that equal content gives equal bytes. */
export async function tarBytes(entries: TarEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { bytes, ...header } of entries) {
    const common = { uid: 0, gid: 0, ...header, mtime: new Date(0) };
    if (bytes === null) archive.entry({ ...common, type: 'directory' });
    else archive.entry(common, bytes);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
