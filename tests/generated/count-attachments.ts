import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import type { Attachment } from '../../src/shared/attachments/attachment.ts';
import type { AttachmentPreview } from '../../src/shared/attachments/attachment-inputs.ts';
import { messageOf, success } from '../../src/shared/errors.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { eventsOf, openClientCore } from '../fakes/core-client.ts';
import type { MadeFile } from '../fakes/made-files.ts';
import { madeFiles } from '../fakes/made-files.ts';

/** Counts of what happened to the files, and of those about which the user was not warned. */
export interface AttachmentCounts {
  readonly files: number;
  readonly whole: number;
  readonly cut: number;
  readonly refused: number;
  readonly unseen: number;
  readonly silent: readonly string[];
}

type Fate = 'whole' | 'cut' | 'refused' | 'unseen';

/** Sends each made file through the real core: compares what was said before sending with what the model got. */
export async function countAttachments(): Promise<AttachmentCounts> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-made-files-'));
  const core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  try {
    for (const strategy of ['recipe', 'loop']) {
      const replies = [{ text: 'It says something.' }];
      const value = { kind: 'scripted', strategies: [strategy], repeat: true, replies };
      await core.client.settings.set({ key: `providers.${strategy}`, value });
    }
    const counts = { whole: 0, cut: 0, refused: 0, unseen: 0 };
    const silent: string[] = [];
    for (const file of madeFiles) {
      const told = await fateOf({ core, home }, file);
      if (typeof told === 'string') counts[told] += 1;
      else silent.push(`${file.name}: ${told.silent}`);
    }
    return { files: madeFiles.length, ...counts, silent };
  } finally {
    await core.dispose();
    rmSync(home, { recursive: true, force: true });
  }
}

interface Bed {
  readonly core: ClientCore;
  readonly home: string;
}

async function fateOf(bed: Bed, { name, bytes }: MadeFile): Promise<Fate | { readonly silent: string }> {
  const { client } = bed.core;
  let kept: Attachment;
  try {
    kept = await client.attachments.keep({ name, data: bytes.toString('base64') });
  } catch (error) {
    return messageOf(error).includes(name) ? 'refused' : { silent: `refused, and said "${messageOf(error)}"` };
  }
  let fate: Fate = 'whole';
  for (const strategy of ['recipe', 'loop']) {
    const asked = { policy: 'local', local: `${strategy}/script` } as const;
    const preview = await client.attachments.preview({ place: null, text: '', attachments: [kept], ...asked });
    if (preview.unseen !== null) return 'unseen';
    const wrong = await sentOtherwise(bed, { kept, preview, asked });
    if (wrong !== null) return { silent: `${strategy}: ${wrong}` };
    if (preview.files.some(isCut)) fate = 'cut';
  }
  return fate;
}

function isCut({ bytes, shownBytes, pages }: AttachmentPreview['files'][number]): boolean {
  return shownBytes < bytes || (pages !== null && pages.shown < pages.all);
}

/** How what was sent differs from what was said before, null if it does not. */
async function sentOtherwise(
  { core: { client }, home }: Bed,
  sending: {
    readonly kept: Attachment;
    readonly preview: AttachmentPreview;
    readonly asked: { readonly policy: 'local'; readonly local: string };
  },
): Promise<string | null> {
  const { kept, preview, asked } = sending;
  const [said] = preview.files;
  if (said === undefined || preview.models.length === 0) return 'nothing was said before';
  const { sessionId } = await client.sessions.create({ projectPath: null });
  const options = { ...asked, approve: 'deny' as const };
  await client.sessions.send({ sessionId, text: 'What does it say?', options, attachments: [kept] });
  const { status } = await client.sessions.result({ sessionId });
  const started = (await eventsOf(client, sessionId)).find((event) => event.type === 'model-call-started');
  if (started?.type !== 'model-call-started') return `no model was asked (${status})`;
  const { request } = await client.sessions.detail({ sessionId, id: started.callId });
  const prompt = request?.messages.map(({ text }) => text).join('\n') ?? '';
  const whole = readFileSync(join(home, 'blobs', kept.blob.sha256));
  const shown = whole.subarray(0, said.shownBytes).toString('utf8').trimEnd();
  const rest = whole.subarray(said.shownBytes).toString('utf8').trim();
  if (!prompt.includes(shown)) return `less than the ${said.shownBytes} bytes that were said`;
  if (rest !== '' && prompt.includes(`${shown}${rest.slice(0, 40)}`)) return 'more than was said';
  const logged = started.cut?.[0]?.shownBytes ?? said.bytes;
  return logged === said.shownBytes ? null : `the log says ${logged} bytes, and ${said.shownBytes} were said before`;
}
