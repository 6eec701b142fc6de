import { basename, resolve } from 'node:path';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { maxFileBytes } from '@shared/attachments/attachment-text.ts';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import { messageOf } from '@shared/errors.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { resourceMentionsIn } from '@shared/tools/found-offers.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import { readFile, stat } from '../../../lib/files/drive-calls.ts';

/** Passes a file of the user to the core. Its content decides what it is; `image` refuses everything but images. */
export async function attachFile(
  context: CommandContext,
  { path, place, kind }: { readonly path: string; readonly place: FilePlace | null; readonly kind: 'image' | 'file' },
): Promise<Attachment> {
  const whole = await attachableFile(path);
  const core = await context.core();
  const data = (await readFile(whole)).toString('base64');
  const kept = await core.attachments.keep({
    name: basename(whole),
    data,
    ...(place === null ? {} : { path: whole, place }),
  });
  if (kind === 'image' && kept.kind !== 'image')
    throw usageError(`${path} is not an image.`, 'Attach other files with --file, or with /attach in a conversation.');
  return kept;
}

/** Attaches resources of tool servers that a text mentions as `@server:address`. Other words are ignored. */
export async function attachResources(
  context: CommandContext,
  place: FilePlace | null,
  text: string,
): Promise<readonly Attachment[]> {
  const mentions = resourceMentionsIn(text);
  if (mentions.length === 0) return [];
  const core = await context.core();
  const servers = await core.tools.list(undefined, { signal: context.signal });
  const given: Attachment[] = [];
  for (const { server, uri } of mentions) {
    if (!servers.some(({ name }) => name === server)) continue;
    const kept = await core.attachments.keepResource({ place, server, uri }, { signal: context.signal });
    for (const one of kept) context.terminal.err(`Attached from a tool server: ${seenName(one.name)}\n`);
    given.push(...kept);
  }
  return given;
}

/** The absolute path of a file that can be attached. Used to check files before anything is started. */
export async function attachableFile(path: string): Promise<string> {
  const whole = resolve(path);
  const size = await stat(whole).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw usageError(`The file ${path} was not found.`, `Dewpoint looked at ${whole}.`);
    throw usageError(`${path} cannot be read: ${messageOf(error)}`);
  });
  if (!size.isFile())
    throw usageError(`${path} is not a file.`, 'To show a folder of the project, write @FOLDER/ in the message.');
  if (size.size > maxFileBytes)
    throw usageError(`${path} is larger than ${sizeText(maxFileBytes)}.`, 'Make it smaller, then attach it again.');
  return whole;
}
