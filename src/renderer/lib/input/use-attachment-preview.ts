import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AttachmentPreview, FilePlace, PreviewModel } from '@shared/attachments/attachment-inputs.ts';
import { mentionOf, mentionsIn } from '@shared/attachments/file-mentions.ts';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';
import type { PickedOptions } from '../models/model-options.ts';
import type { Attachments } from './use-attachments.ts';

/** What a model would get of the message in the field, and whether it must wait for a decision. */
export interface PreviewedFiles {
  readonly preview: AttachmentPreview | null;
  /** Why this could not be found out. */
  readonly problem: string | null;
  /** Not known yet. */
  readonly isPending: boolean;
  /** A file was not accepted, or no model can see an image. Nothing is sent until the user decides. */
  readonly isHeld: boolean;
}

interface FieldOfFiles {
  readonly attachments: Pick<Attachments, 'list' | 'problems' | 'isBusy'>;
  readonly text: string;
  readonly place: FilePlace | null;
  /** The options of the message that decide who gets it. */
  readonly options: PickedOptions;
}

export function useAttachmentPreview({ attachments, text, place, options }: FieldOfFiles): PreviewedFiles {
  const client = useClient();
  const { list, problems, isBusy } = attachments;
  // Sends only the mentions, because the other words change with every key.
  const mentions = text.includes('@') ? mentionsIn(text).map(({ start, end }) => text.slice(start, end)) : [];
  const input = { place, text: mentions.join(' '), attachments: [...list], ...options };
  const isAsked = list.length > 0 || (mentions.length > 0 && place !== null);
  const found = useQuery({
    queryKey: ['attachments', 'preview', input],
    queryFn: ({ signal }) => client.attachments.preview(input, { signal }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    // A model or a setting may have changed in the meantime.
    staleTime: 2000,
    retry: false,
  });
  const preview = isAsked ? (found.data ?? null) : null;
  const isUnknown = list.length > 0 && (found.isPending || found.isPlaceholderData);
  return {
    preview,
    problem: isAsked && found.error !== null ? failureText(found.error) : null,
    isPending: isBusy || isUnknown,
    isHeld: problems.length > 0 || (preview !== null && preview.unseen !== null),
  };
}

/** Whether there is something to tell before sending: a cut, a missing file, or a failed check. */
export function saysSomething({ preview, problem, isHeld }: PreviewedFiles): boolean {
  if (isHeld || problem !== null) return true;
  if (preview === null) return false;
  const isCut = preview.files.some(
    ({ bytes, shownBytes, pages }) => shownBytes < bytes || (pages !== null && pages.shown < pages.all),
  );
  return isCut || preview.notes.length > 0 || (preview.scans !== undefined && preview.scans.seeing !== null);
}

/** The options that send the message to this model. With a local model, nothing goes to the cloud. */
export function optionsForModel({ id, where }: PreviewModel, { models }: AttachmentPreview): PickedOptions {
  if (where === 'local') return { policy: 'local', local: id };
  return { policy: models.some((model) => model.where === 'local') ? 'hybrid' : 'cloud', cloud: id };
}

/** The models that can see images and may get the message. `kept`: the number of cloud models that may not. */
export function offeredModels(
  { models }: AttachmentPreview,
  seeing: readonly PreviewModel[],
): { readonly offered: readonly PreviewModel[]; readonly kept: number } {
  const mayLeave = models.some(({ where }) => where === 'cloud');
  const offered = seeing.filter(({ where }) => where === 'local' || mayLeave);
  return { offered, kept: seeing.length - offered.length };
}

/** A text without the mentions of some files, which are then not attached. */
export function withoutMentions(text: string, paths: readonly string[]): string {
  return paths.reduce((rest, path) => rest.replaceAll(mentionOf(path), path), text);
}
