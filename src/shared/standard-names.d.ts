/**
 * What Node and every browser have and the standard of the language does not, as far as shared code uses it. Only the
 * check of shared alone reads this: the others know these names from Node or from the page.
 */
declare class URL {
  constructor(url: string);
  readonly protocol: string;
  readonly hostname: string;
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
