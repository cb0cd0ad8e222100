/** For a POSIX shell, with any content. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Quoted only if the shell requires it. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text));
