/** One word of a POSIX shell, whatever is in it. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same as people write it: quoted only where the shell would read something else. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quotedWord(text));
