/** Milliseconds of PostgreSQL's text of a time, whose zone may be written `+00`; NaN: it is none. */
export const timeOf = (text: string): number => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
