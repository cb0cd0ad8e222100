import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkedRequest } from '../../../../domain/requests/checked.js';

const schema = z.strictObject({
  text: z.string().min(1).max(5),
  count: z.int().min(1).optional(),
  list: z.array(z.string()).max(1).optional(),
  place: z.enum(['here', 'there']).optional(),
});
const refusal = (input: unknown): string => {
  try {
    checkedRequest(schema, input);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a request with a wrong key', () => {
  it.each([
    [{}, 'text is missing'],
    [{ text: '' }, 'text must not be empty'],
    [{ text: '123456' }, 'text must have at most 5 characters'],
    [{ text: 1 }, 'text must be a string'],
    [{ text: 'a', count: 0 }, 'count must be at least 1'],
    [{ text: 'a', count: 1.5 }, 'count must be a whole number'],
    [{ text: 'a', list: ['a', 'b'] }, 'list must have at most 1 entry'],
    [{ text: 'a', list: 'a' }, 'list must be a list'],
    [{ text: 'a', place: 'x' }, 'place must be here or there'],
  ])('%j is refused in words: %s', (input, message) => {
    expect(refusal(input)).toBe(message);
  });
});
