import type { AttachmentPreview, FilePlace, FilePreview, ScanPreview } from '@shared/attachments/attachment-inputs.ts';
import { attachmentLabel } from '@shared/attachments/attachment-text.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { CommandContext } from './command-context.ts';
import { usageError } from './report-failure.ts';

interface Unsent {
  readonly place: FilePlace | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly options: Pick<RunOptions, 'policy' | 'local' | 'cloud'>;
}

/**
 * Before a message is sent, says which parts of its files the model will not get. Throws a usage error for an image
 * that none of its models supports. `choose`: how to choose another model here.
 */
export async function previewFiles(context: CommandContext, message: Unsent, choose: string): Promise<void> {
  const { place, text, attachments, options } = message;
  if (attachments.length === 0 && !text.includes('@')) return;
  const { policy, local, cloud } = options;
  const asked = {
    ...(policy === undefined ? {} : { policy }),
    ...(local === undefined ? {} : { local }),
    ...(cloud === undefined ? {} : { cloud }),
  };
  const core = await context.core();
  const preview = await core.attachments.preview(
    { place, text, attachments: [...attachments], ...asked },
    { signal: context.signal },
  );
  const models = preview.models.map(({ label }) => seenName(label)).join(' and ');
  const setUp = setUpLine(preview);
  if (preview.unseen !== null) {
    const ids = preview.unseen.seeing.map(({ id }) => seenName(id));
    const hint =
      ids.length === 0
        ? 'No other model here can. Leave the image out.'
        : `These can: ${ids.join(', ')}. ${choose}, or leave the image out.`;
    throw usageError(`${models} cannot see images, so the message was not sent.`, setUp + hint);
  }
  const { terminal } = context;
  for (const note of preview.notes) terminal.err(`${seenWords(note)}\n`);
  if (preview.scans !== undefined)
    terminal.err(`${terminal.colors.yellow(`${scanLine(preview.scans, models, choose)} ${setUp}`.trimEnd())}\n`);
  const told = preview.files.flatMap((file) => cutLine(file, models));
  if (told.length === 0) return;
  for (const line of told) terminal.err(`${terminal.colors.yellow(line)}\n`);
  terminal.err('Attach only the part you need, or choose a model with a larger context.\n');
}

/** The engine with which a model of the message would see. Empty: there is none, or it is set up. */
function setUpLine({ couldSee = [] }: AttachmentPreview): string {
  if (couldSee.length === 0) return '';
  const models = couldSee.map(({ label }) => seenName(label)).join(' and ');
  return `With a llama-server, ${models} would see images: \`dewpoint settings set providers.llama-server '{"kind": "llama-server"}'\`. `;
}

/** What happens to pages without text, and what they cost. */
function scanLine({ pages, drawn, tokens, seeing }: ScanPreview, models: string, choose: string): string {
  const said = pages === 1 ? 'A page has no text' : `${pages} pages have no text`;
  const which = drawn < pages ? `the first ${drawn} of them go` : pages === 1 ? 'it goes' : 'they go';
  if (seeing === null) return `${said}: ${which} along as images, about ${tokens.toLocaleString('en')} tokens.`;
  const ids = seeing.map(({ id }) => seenName(id));
  const others = ids.length === 0 ? '' : ` These can: ${ids.join(', ')}. ${choose}.`;
  return `${said}, and ${models} cannot see images, so only the text is sent.${others}`;
}

function cutLine({ attachment, bytes: all, shownBytes, pages }: FilePreview, models: string): readonly string[] {
  const name = seenName(attachmentLabel(attachment));
  if (pages !== null && pages.shown < pages.all)
    return [`${name}: only pages 1 to ${pages.shown} of ${pages.all} will be sent to ${models}.`];
  const { document = null } = attachment.kind === 'text' ? attachment : {};
  if (document !== null && (document.isCut === true || document.read < document.pages))
    return [`${name}: only its beginning was read, because a message takes no more.`];
  return shownBytes < all
    ? [`${name}: only the first ${sizeText(shownBytes)} of ${sizeText(all)} will be sent to ${models}.`]
    : [];
}
