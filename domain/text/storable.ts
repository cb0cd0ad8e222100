/** PostgreSQL accepts neither NUL nor lone surrogates; models, commands and clients write both. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
