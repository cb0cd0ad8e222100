import { showsImages } from '../domain/agent/offered-commands.js';
import { shownImages } from '../domain/model/images.js';
import type { ChatMessage } from '../domain/model/model.js';
import type { Prompt } from '../domain/ports/player.js';
import type { ImageLog } from '../domain/ports/record/images.js';
import type { RunDefinition } from '../domain/run/run.js';

/** Of these messages. Empty: there are none. */
export async function imagesFor(
  store: ImageLog,
  run: RunDefinition,
  messages: readonly ChatMessage[],
): Promise<Pick<Prompt, 'images'>> {
  if (!showsImages(run)) return {};
  const ids = shownImages(messages.flatMap(({ role, content }) => (role === 'assistant' ? [] : [content])));
  if (ids.length === 0) return {};
  const images = await store.images(run.runId, ids);
  return images.length === 0 ? {} : { images: new Map(images.map((image) => [image.id, image])) };
}
