/** Something that a tool server has to read. All words are the server's. */
export interface ServerResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** What was read of it. */
export type ResourceContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data`: in base64. */
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string };
