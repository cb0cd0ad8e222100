/** PostgreSQL holds neither NUL nor lone surrogates, and what models, commands and clients write may contain both. */
export const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');
