import { z } from 'zod';

/** A session as a text for readers, or as the calls of its tools. */
export const readableForm = z.enum(['page', 'markdown', 'calls']);
export type ReadableForm = z.infer<typeof readableForm>;

/** A part of a downloaded text, and at its end what it does not contain: see `sessions.export`. */
export type DownloadPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'end'; readonly missing: number; readonly branches: number };
