/** Milliseconds of PostgreSQL's text, whose zone may be `+00`; NaN: not a time. */
export const timeOf = (text: string): number => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
