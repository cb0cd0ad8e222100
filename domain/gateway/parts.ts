import { isJson, type Json, textOf } from './json.js';

/** Whether a provider takes the value without fetching, running or looking up anything. */
export type Check = (value: unknown) => boolean;
/** Keys of an object, beside `type`. */
export type Shape = Readonly<Record<string, Check>>;
/** By the `type` of a part. */
export type Shapes = ReadonlyMap<string, Shape>;

export const isAny: Check = () => true;
export const isText: Check = (value) => typeof value === 'string';
export const isTruth: Check = (value) => typeof value === 'boolean';

const INLINE_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,/i;
const HEAD_OF_IMAGE = 40;
const HEAD_OF_FILE = 120;
/** An image that lies in the request: a server fetches one that is given by its address. */
export const isInlineImage: Check = (value) => INLINE_IMAGE.test(textOf(value).slice(0, HEAD_OF_IMAGE));

/** A file that lies in the request. */
export const isInlineFile: Check = (value) =>
  /^(?:data:[\w.+-]+\/[\w.+-]+;base64,|[A-Za-z0-9+/=]*$)/.test(textOf(value).slice(0, HEAD_OF_FILE));

/** An object with these keys alone. A null stands for an absent key. */
export const isObject =
  (shape: Shape): Check =>
  (value) =>
    isJson(value) && fits(value, shape);

const fits = (value: Json, shape: Shape): boolean =>
  Object.entries(value).every(
    ([key, one]) => key === 'type' || one === null || (Object.hasOwn(shape, key) && shape[key]!(one)),
  );

/** A list of known parts. `shapes` is a function, since parts contain parts. */
export const isPartList =
  (shapes: () => Shapes): Check =>
  (value) =>
    Array.isArray(value) && value.every((part) => partProblem(part, shapes()) === null);

export const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

const ADDRESSES = /(?:^|_)(?:ur[il]|file_id|file)s?$/i;
/** Free of addresses at any depth: for what is passed on without being known. */
export const hasNoAddress: Check = (value) => {
  if (Array.isArray(value)) return value.every(hasNoAddress);
  if (!isJson(value)) return true;
  return Object.entries(value).every(([key, one]) => (one === null || !ADDRESSES.test(key)) && hasNoAddress(one));
};

/** Why a part may not go to the provider; null: it may. */
export function partProblem(part: unknown, shapes: Shapes): string | null {
  if (!isJson(part)) return 'parts of a message must be objects with a type';
  const type = textOf(part['type']);
  const shape = shapes.get(type);
  if (shape === undefined) return `parts of type ${JSON.stringify(type.slice(0, 40))} are not taken`;
  return fits(part, shape) ? null : `a part of type ${JSON.stringify(type)} has more than its content: ${NO_ADDRESSES}`;
}

/** The first problem of a message's content, which is a text, parts or nothing; null: there is none. */
export function contentProblem(content: unknown, shapes: Shapes): string | null {
  if (content === undefined || content === null || typeof content === 'string') return null;
  if (!Array.isArray(content)) return 'the content of a message must be a text or a list of parts';
  for (const part of content) {
    const problem = partProblem(part, shapes);
    if (problem !== null) return problem;
  }
  return null;
}

/** The role of a message is a word in each dialect; null: it is, or it is absent. */
export const roleProblem = (messages: readonly Json[]): string | null =>
  messages.every(({ role }) => role == null || typeof role === 'string')
    ? null
    : 'the role of a message must be a text';

/** The first of the settings that is not what a provider takes; null: there is none. */
export function settingProblem(body: Json, settings: Shape): string | null {
  const key = Object.keys(settings).find((one) => body[one] != null && !settings[one]!(body[one]));
  return key === undefined ? null : `${key}: is not of a known form`;
}

/** A form of answers; of its schema the keys are the client's. */
export const isFormat: Check = isObject({ name: isText, description: isText, strict: isTruth, schema: isAny });

/** Images by address, and files by id, would have the provider fetch or keep things. */
export const NO_ADDRESSES = 'images and documents must be in the request itself: addresses and file ids are not taken';

/** Images of a request, and how long their data is. */
export class Images {
  count = 0;
  bytes = 0;

  add(data: unknown): void {
    this.count += 1;
    this.bytes += textOf(data).length;
  }
}
