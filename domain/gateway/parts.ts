import { isJson, type Json, textOf } from './json.js';

/** The provider accepts the value without fetching, running or looking up anything. */
export type Check = (value: unknown) => boolean;
/** Keys of an object, besides `type`. */
export type Shape = Readonly<Record<string, Check>>;
export type Shapes = ReadonlyMap<string, Shape>;

export const isAny: Check = () => true;
export const isText: Check = (value) => typeof value === 'string';
export const isTruth: Check = (value) => typeof value === 'boolean';

const INLINE_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,/i;
const HEAD_OF_IMAGE = 40;
const HEAD_OF_FILE = 120;
/** Inline: a server fetches an image given by address. */
export const isInlineImage: Check = (value) => INLINE_IMAGE.test(textOf(value).slice(0, HEAD_OF_IMAGE));

export const isInlineFile: Check = (value) =>
  /^(?:data:[\w.+-]+\/[\w.+-]+;base64,|[A-Za-z0-9+/=]*$)/.test(textOf(value).slice(0, HEAD_OF_FILE));

export const isObject =
  (shape: Shape): Check =>
  (value) =>
    isJson(value) && fits(value, shape);

const fits = (value: Json, shape: Shape): boolean =>
  Object.entries(value).every(
    ([key, one]) => key === 'type' || one === null || (Object.hasOwn(shape, key) && shape[key]!(one)),
  );

/** `shapes` is a function, since parts contain parts. */
export const isPartList =
  (shapes: () => Shapes): Check =>
  (value) =>
    Array.isArray(value) && value.every((part) => partProblem(part, shapes()) === null);

export const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

const ADDRESSES = /(?:^|_)(?:ur[il]|file_id|file)s?$/i;
/** No addresses at any depth: for unknown values that are forwarded. */
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

/** First problem of a content (a text, parts or nothing); null: none. */
export function contentProblem(content: unknown, shapes: Shapes): string | null {
  if (content === undefined || content === null || typeof content === 'string') return null;
  if (!Array.isArray(content)) return 'the content of a message must be a text or a list of parts';
  for (const part of content) {
    const problem = partProblem(part, shapes);
    if (problem !== null) return problem;
  }
  return null;
}

/** The role is a word in each dialect, or absent. */
export const roleProblem = (messages: readonly Json[]): string | null =>
  messages.every(({ role }) => role == null || typeof role === 'string')
    ? null
    : 'the role of a message must be a text';

/** First setting that a provider does not accept; null: none. */
export function settingProblem(body: Json, settings: Shape): string | null {
  const key = Object.keys(settings).find((one) => body[one] != null && !settings[one]!(body[one]));
  return key === undefined ? null : `${key}: is not of a known form`;
}

/** The client chooses the schema's keys. */
export const isFormat: Check = isObject({ name: isText, description: isText, strict: isTruth, schema: isAny });

/** By address or file id, the provider would fetch or store things. */
export const NO_ADDRESSES = 'images and documents must be in the request itself: addresses and file ids are not taken';

/** Images of a request, and the length of their data. */
export class Images {
  count = 0;
  bytes = 0;

  add(data: unknown): void {
    this.count += 1;
    this.bytes += textOf(data).length;
  }
}
