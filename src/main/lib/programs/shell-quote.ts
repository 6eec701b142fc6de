/** A text as one word of a shell's command line, whatever stands in it. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
