import { once } from '../../../domain/once.js';
import type { ExportIndex } from '../../../domain/static-form/packs.js';

// Packs are scripts, as a page from disk may load nothing else; in a single file, inert blocks.
// Each is inflated when needed, and evicted later.

/** Packs in memory; the largest have a few megabytes. */
const KEPT = 24;

type Pack = Readonly<Record<string, unknown>>;

/** Called by each pack's script. */
const arrived = new Map<string, (base64: string) => void>();
declare global {
  var benchPack: (file: string, base64: string) => void;
}
globalThis.benchPack = (file, base64) => arrived.get(file)?.(base64);

async function inflated(base64: string): Promise<unknown> {
  const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as unknown;
}

function base64Of(file: string): Promise<string> {
  const block = document.querySelector<HTMLScriptElement>(`script[data-pack="${CSS.escape(file)}"]`);
  if (block !== null) return Promise.resolve(block.text.trim());
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const done = (): void => {
      arrived.delete(file);
      script.remove();
    };
    arrived.set(file, (base64) => {
      done();
      resolve(base64);
    });
    script.addEventListener('error', () => {
      done();
      reject(new Error(`the export lacks its file data/${file}`));
    });
    script.src = new URL(`data/${file}`, location.href.replace(/#.*$/, '')).href;
    document.head.append(script);
  });
}

const kept = new Map<string, Promise<Pack>>();

const index = once(async () => {
  const name = document.querySelector<HTMLMetaElement>('meta[name="bench-index"]')!.content;
  return (await inflated(await base64Of(name))) as ExportIndex;
});

export { index as exportIndex };

/** Null: the export has no such pack. */
export async function packNamed(name: string): Promise<Pack | null> {
  const file = (await index()).packs[name];
  if (file === undefined) return null;
  const found = kept.get(name) ?? base64Of(file).then(async (base64) => (await inflated(base64)) as Pack);
  kept.delete(name);
  kept.set(name, found);
  found.catch(() => kept.delete(name));
  for (const old of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(old);
  }
  return found;
}
