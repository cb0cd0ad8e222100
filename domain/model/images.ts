/**
 * An image that the agent looked at is a line of its observation, with its type, size and id; its
 * bytes are stored once for the run. Prompts, exports and pages are texts as before; where the
 * provider gets a prompt, the images follow the texts that name them.
 */

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** As base64 4 MiB; Anthropic takes 5 MB (images/agent/tools/agent_tools/images.py has it too). */
export const MOST_IMAGE_BYTES = 3 * 1024 * 1024;
/** On each side: with more than 20 images, Anthropic refuses larger ones. */
export const MOST_IMAGE_SIDE = 2000;

export interface StoredImage {
  /** First 16 hexadecimal digits of the SHA-256 of its bytes. */
  id: string;
  type: ImageType;
  bytes: Uint8Array;
}

/** Which a text names. */
export interface NamedImage {
  /** The words that name it. */
  mark: string;
  id: string;
  width: number;
  height: number;
  size: number;
}

export const imageMark = (
  name: string,
  { id, type, width, height, size }: Omit<NamedImage, 'mark'> & { type: ImageType },
): string => `[image ${name}: ${type}, ${width} x ${height}, ${size} bytes, id ${id}]`;

/** Anywhere: a template may put the observation behind words of its own. */
const MARK =
  /\[image [^\n]{1,250}?: image\/(?:png|jpeg|gif|webp), (\d{1,4}) x (\d{1,4}), (\d{1,7}) bytes, id ([0-9a-f]{16})\]/g;

export const namedImages = (text: string): NamedImage[] =>
  text.includes('[image ')
    ? [...text.matchAll(MARK)].map(([mark, width, height, size, id = '']) => ({
        ...{ mark, id, width: Number(width), height: Number(height), size: Number(size) },
      }))
    : [];

/** What `view_image` prints: a copy of the file waits under its id. */
export const LEFT_IMAGE = /^\[image file ([0-9a-f]{16}): (.{1,200}), (\d+) bytes\]$/gm;

const MOST_SHOWN = 20;
/** As base64 16 MiB: Gemini takes requests of 20 MB, Anthropic of 32 MB. */
const MOST_SHOWN_BYTES = 12 * 1024 * 1024;

/** Ids of the newest images that these texts name, as many as every provider takes in a request. */
export function shownImages(texts: readonly string[]): string[] {
  const shown = new Map<string, number>();
  let bytes = 0;
  for (const { id, size } of texts.flatMap(namedImages).reverse()) {
    if (shown.has(id)) continue;
    if (shown.size === MOST_SHOWN || bytes + size > MOST_SHOWN_BYTES) break;
    shown.set(id, size);
    bytes += size;
  }
  return [...shown.keys()];
}

/** A patch of OpenAI's has 32 x 32 pixels; its smallest models count 2.46 tokens for each. */
const [PATCH, TOKENS_PER_PATCH] = [32, 2.46];
/** Gemini 3's for every image. */
const FEWEST = 1120;
/** Anthropic's most, before which it scales an image down; OpenAI scales down earlier. */
const MOST = 4784;

/**
 * An upper bound of what the providers' documentation says that an image costs: OpenAI's "Images
 * and vision", Anthropic's "Vision", Google's "Image understanding" and "Media resolution".
 */
export function imageTokens({ width, height }: Pick<NamedImage, 'width' | 'height'>): number {
  const patches = Math.ceil(width / PATCH) * Math.ceil(height / PATCH);
  return Math.min(MOST, Math.max(FEWEST, Math.ceil(patches * TOKENS_PER_PATCH)));
}
