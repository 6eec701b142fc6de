import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type {
  AttachmentPreview,
  FilePreview,
  PreviewedMessage,
  PreviewModel,
  ScanPreview,
} from '@shared/attachments/attachment-inputs.ts';
import { hasImage, pagesIn, scansOf } from '@shared/attachments/attachment-text.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { FittedText } from '@shared/attachments/fit-attachments.ts';
import { needsSeeingEngine } from '@shared/models/model-info.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { settingsForProject } from '../../settings/settings-for-project.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { imageTokens } from '../../models/providers/call/image-tokens.ts';
import { fitAttached, roomForAttached } from '../../agent/prompt/attached-parts.ts';
import type { AttachedFile } from '../../recipes/conversation-entries.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { turnOptions } from '../../settings/turn-options.ts';

export interface PreviewOptions {
  readonly blobs: Pick<Blobs, 'get'>;
  readonly models: {
    readonly info: (id: string, signal: AbortSignal) => Promise<ModelInfo | null>;
    readonly list: (signal: AbortSignal) => Promise<readonly ModelEntry[]>;
  };
  readonly settings: () => Settings;
}

interface Previewed {
  readonly message: PreviewedMessage;
  readonly attachments: readonly Attachment[];
  readonly notes: readonly string[];
  readonly projectPath: string | null;
}

/** What the model with the smallest context would see, built by the functions that make its prompt. */
export async function previewAttachments(
  options: PreviewOptions,
  { message, attachments, notes, projectPath }: Previewed,
  signal: AbortSignal,
): Promise<AttachmentPreview> {
  const infos = await modelsFor(options, message, projectPath, signal);
  const attached = await Promise.all(
    attachments.map(async (attachment) => ({ attachment, bytes: await options.blobs.get(attachment.blob) })),
  );
  const room = Math.min(...infos.map(roomForAttached));
  const fitted = fitAttached(attached, room);
  const isUnseen = hasImage(attachments) && infos.length > 0 && !infos.some(seesImages);
  const scans = isUnseen ? {} : await scansIn(options, { attachments, infos }, signal);
  const isBlind = isUnseen || (scans.scans !== undefined && scans.scans.seeing !== null);
  const couldSee = isBlind ? withServer(options.settings(), infos) : [];
  return {
    models: infos.map(modelOf),
    files: attached.map((one, index) => ({
      ...fileOf(one, fitted[index] ?? null),
      isMentioned: !message.attachments.some(
        ({ blob, name }) => blob.sha256 === one.attachment.blob.sha256 && name === one.attachment.name,
      ),
    })),
    notes,
    unseen: isUnseen ? { seeing: await seeingModels(options, signal) } : null,
    ...scans,
    ...(couldSee.length === 0 ? {} : { couldSee }),
  };
}

/** The models that have a projector, where no engine is set up that uses it. */
function withServer({ providers }: Settings, infos: readonly ModelInfo[]): readonly PreviewModel[] {
  return infos.filter((info) => needsSeeingEngine(info, providers)).map((info) => modelOf(info));
}

/** The pages without text that a model of the message gets as pictures, or that none of them sees. */
async function scansIn(
  options: PreviewOptions,
  { attachments, infos }: { readonly attachments: readonly Attachment[]; readonly infos: readonly ModelInfo[] },
  signal: AbortSignal,
): Promise<{ readonly scans?: ScanPreview }> {
  const scans = attachments.flatMap(scansOf);
  if (scans.length === 0 || infos.length === 0) return {};
  const pages = attachments.reduce(
    (sum, one) => sum + (one.kind === 'text' && scansOf(one).length > 0 ? (one.document?.blank ?? 0) : 0),
    0,
  );
  const seers = infos.filter(seesImages);
  const costs = seers.map((info) =>
    scans.reduce((sum, scan) => sum + imageTokens(scan, info.name, info.imageTokens), 0),
  );
  const seeing = seers.length > 0 ? null : await seeingModels(options, signal);
  return { scans: { pages, drawn: scans.length, tokens: Math.max(0, ...costs), seeing } };
}

/** All models that a turn of this message could run on. */
async function modelsFor(
  { settings, models }: PreviewOptions,
  { policy, local, cloud }: PreviewedMessage,
  projectPath: string | null,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const asked = turnOptions(
    settingsForProject(settings(), projectPath),
    runOptionsSchema.parse({ policy, local, cloud }),
  );
  const usual = [asked.policy === 'cloud' ? null : asked.local, asked.policy === 'local' ? null : asked.cloud];
  const ids = (asked.modelOrder ?? usual).filter((id) => id !== null);
  const infos = await Promise.all(ids.map(async (id) => models.info(id, signal)));
  return infos.flatMap((info) =>
    info === null || (asked.policy !== 'hybrid' && asked.policy !== info.where) ? [] : [info],
  );
}

async function seeingModels({ models }: PreviewOptions, signal: AbortSignal): Promise<readonly PreviewModel[]> {
  const entries = await models.list(signal);
  return entries.flatMap(({ state, info }) =>
    state === 'ready' && info !== null && seesImages(info) ? [modelOf(info)] : [],
  );
}

function seesImages({ capabilities }: ModelInfo): boolean {
  return capabilities.images === true;
}

function modelOf(info: ModelInfo): PreviewModel {
  return { id: info.id, label: info.label, where: info.where, images: seesImages(info) };
}

function fileOf({ attachment, bytes }: AttachedFile, fit: FittedText | null): Omit<FilePreview, 'isMentioned'> {
  if (attachment.kind === 'image' || bytes === null || fit === null) {
    const size = attachment.blob.bytes;
    return { attachment, bytes: size, shownBytes: size, lines: null, pages: null };
  }
  const { document, chat } = attachment;
  const text = new TextDecoder().decode(bytes);
  const shown = text.slice(0, fit.length);
  // Sheets and cells differ too much in size for their number to say how much is sent.
  const pages =
    document === undefined || (document.kind ?? 'pdf') !== 'pdf'
      ? null
      : { all: document.pages, shown: pagesIn(shown, document), blank: document.blank };
  const lines = document === undefined && chat === undefined ? { all: linesIn(text), shown: linesIn(shown) } : null;
  return { attachment, bytes: fit.bytes, shownBytes: fit.shownBytes, lines, pages };
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/u, '').split('\n').length;
}
