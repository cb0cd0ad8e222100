// Replaces data/token.ts in an export, which needs no token.

export const takeToken = (): void => undefined;
export const token = (): string | null => null;
export const setToken = (): void => undefined;
