import { describe, expect, it } from 'vitest';
import type { AttachmentPreview } from '../../../../src/shared/attachments/attachment-inputs.ts';
import type { Attachment } from '../../../../src/shared/attachments/attachment.ts';
import { previewFiles } from '../../../../src/main/hosts/text/preview-files.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createFakeHandlers } from '../../../fakes/fake-handlers.ts';

const model = { id: 'here/small', label: 'Small model', where: 'local', images: false } as const;
const eyes = { id: 'here/eyes', label: 'Model with eyes', where: 'local', images: true } as const;
const attachment: Attachment = { kind: 'text', name: 'orders.csv', blob: { sha256: 'a'.repeat(64), bytes: 50_000 } };
const whole: AttachmentPreview = {
  models: [model],
  files: [{ attachment, isMentioned: false, bytes: 50_000, shownBytes: 50_000, lines: null, pages: null }],
  notes: [],
  unseen: null,
};

async function said(preview: AttachmentPreview): Promise<string> {
  const fake = commandContext(createFakeHandlers({ attachments: { preview: () => preview } }));
  const message = { place: null, text: 'What is in it?', attachments: [attachment], options: {} };
  await previewFiles(fake.context, message, 'Choose one with --local');
  return fake.said.err;
}

describe('the files of a message in the terminal', () => {
  it('are announced before sending only if they are cut or left out', async () => {
    expect(await said(whole)).toBe('');
    const cut = whole.files.map((file) => ({ ...file, shownBytes: 8_500 }));
    expect(await said({ ...whole, files: cut })).toContain(
      'orders.csv: only the first 8.5 kB of 50.0 kB will be sent to Small model.',
    );
    const pages = whole.files.map((file) => ({ ...file, pages: { all: 60, shown: 13, blank: 0 } }));
    expect(await said({ ...whole, files: pages })).toContain('orders.csv: only pages 1 to 13 of 60 will be sent');
    expect(await said({ ...whole, notes: ['@a.bin was not attached.'] })).toContain('@a.bin was not attached.');
  });

  it('say what happens to pages without text, and which model would see them', async () => {
    const scans = { pages: 3, drawn: 3, tokens: 3072, seeing: null };
    expect(await said({ ...whole, scans })).toBe(
      '3 pages have no text: they go along as images, about 3,072 tokens.\n',
    );
    expect(await said({ ...whole, scans: { ...scans, pages: 30 } })).toContain('the first 3 of them go along');
    expect(await said({ ...whole, scans: { ...scans, pages: 1, seeing: [eyes] } })).toBe(
      'A page has no text, and Small model cannot see images, so only the text is sent. These can: here/eyes. Choose one with --local.\n',
    );
  });

  it('stop a message whose image no model sees, and the error names models that would', async () => {
    await expect(said({ ...whole, unseen: { seeing: [eyes] } })).rejects.toMatchObject({
      message: 'Small model cannot see images, so the message was not sent.',
      hint: 'These can: here/eyes. Choose one with --local, or leave the image out.',
    });
    await expect(said({ ...whole, unseen: { seeing: [] } })).rejects.toMatchObject({
      hint: 'No other model here can. Leave the image out.',
    });
    const [small] = whole.models;
    await expect(said({ ...whole, unseen: { seeing: [] }, couldSee: [...whole.models] })).rejects.toMatchObject({
      hint: `With a llama-server, ${small?.label} would see images: \`dewpoint settings set providers.llama-server '{"kind": "llama-server"}'\`. No other model here can. Leave the image out.`,
    });
  });
});
