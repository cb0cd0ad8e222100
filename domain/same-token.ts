import { createHash, timingSafeEqual } from 'node:crypto';

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Constant time. */
export const sameToken = (given: string, token: string): boolean => timingSafeEqual(hashOf(given), hashOf(token));
