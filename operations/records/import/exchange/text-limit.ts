export const TEXT_LIMIT = { head: 2 * 1024 * 1024, tail: 2 * 1024 * 1024 };
