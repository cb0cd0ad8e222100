import { createHash, timingSafeEqual } from 'node:crypto';

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In a time that does not depend on how much of it is right. */
export const sameToken = (given: string, token: string): boolean => timingSafeEqual(hashOf(given), hashOf(token));
