/** PostgreSQL holds neither NUL nor lone surrogates, and what models, commands and clients write may contain both. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
