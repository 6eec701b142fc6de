import type { Attachment } from '@shared/attachments/attachment.ts';

export const nothing = (): void => undefined;

/** What must be broken somewhere, or runs out of its place. */
export const long =
  'a_very_long_name_without_any_space_that_has_to_be_broken_somewhere_or_it_runs_out_of_the_window'.repeat(2);

export const notes: Attachment = { kind: 'text', name: 'notes.md', blob: { sha256: 'a'.repeat(64), bytes: 420 } };

export const screenshot: Attachment = {
  kind: 'image',
  name: 'screenshot.png',
  blob: { sha256: 'd'.repeat(64), bytes: 5300 },
  mediaType: 'image/png',
  width: 80,
  height: 60,
};
