import { namedImages, type StoredImage } from '../domain/model/images.js';
import type { ChatMessage, ModelRequest } from '../domain/model/model.js';

export interface MessageImage {
  /** The line that names it. */
  mark: string;
  type: StoredImage['type'];
  base64: string;
}

/** Images of a message, each where it is named last: once a request. */
export function messageImages({ images }: Pick<ModelRequest, 'images'>, messages: readonly ChatMessage[]) {
  const shown = new Map<ChatMessage, MessageImage[]>();
  const left = new Map(images);
  for (const message of messages.toReversed()) {
    if (left.size === 0) break;
    if (message.role === 'assistant' || message.role === 'system') continue;
    const found = namedImages(message.content).flatMap(({ mark, id }): MessageImage[] => {
      const image = left.get(id);
      left.delete(id);
      return image === undefined
        ? []
        : [{ mark, type: image.type, base64: Buffer.from(image.bytes).toString('base64') }];
    });
    if (found.length > 0) shown.set(message, found);
  }
  return (message: ChatMessage): readonly MessageImage[] => shown.get(message) ?? [];
}

export type ImagesOf = ReturnType<typeof messageImages>;

export const dataUri = ({ type, base64 }: MessageImage): string => `data:${type};base64,${base64}`;
