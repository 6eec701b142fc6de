import { fileURLToPath } from 'node:url';
import { basename, isAbsolute, relative, sep } from 'node:path';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { readFileBelow } from '../../lib/files/host-folder.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { mentionOf } from '@shared/attachments/file-mentions.ts';
import { fillTemplate } from '@shared/session/prompt-templates.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { usageError } from '../cli/report-failure.ts';

/** A message as the core takes it. */
export interface ReadPrompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A longer one is read by the core, in parts. Bytes. */
const longestFile = 4 * 1024 * 1024;

interface Place {
  readonly sessionId: string;
  readonly workspace: string;
  /** The text of a file as the editor has it open; absent: it tells none. */
  readonly buffer?: (path: string) => Promise<string>;
}

/**
 * What an editor sends of a message. A linked file of the workspace becomes a mention, which the core reads itself, by its
 * fences. Where the editor has other text of it, which is not saved, that is attached instead. Embedded files and images are
 * attached as data; any other link stays a text. Nothing is fetched.
 */
export async function readPrompt(core: CoreClient, place: Place, blocks: readonly ContentBlock[]): Promise<ReadPrompt> {
  const attachments: Attachment[] = [];
  let text = '';
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += block.text;
        break;
      case 'resource_link': {
        const unsaved = await unsavedText(place, block.uri);
        if (unsaved === null) {
          text += linkText(place, block.uri, block.name);
          break;
        }
        const { path, lines } = unsaved;
        const data = Buffer.from(lines).toString('base64');
        const { sessionId } = place;
        attachments.push(await core.attachments.keep({ name: basename(path), data, path, place: { sessionId } }));
        text += `${basename(path)} (as it is in the editor, not saved)`;
        break;
      }
      case 'image': {
        const name = block.uri === undefined || block.uri === null ? 'image' : nameOf(block.uri);
        const image = await core.attachments.keep({ name, data: block.data });
        if (image.kind !== 'image')
          throw usageError(`${name} is not an image that models take: PNG, JPEG, GIF or WebP.`);
        attachments.push(image);
        break;
      }
      case 'resource': {
        const { resource } = block;
        const data = 'text' in resource ? Buffer.from(resource.text).toString('base64') : resource.blob;
        const path = pathOf(resource.uri);
        const origin = path === null ? {} : { path, place: { sessionId: place.sessionId } };
        attachments.push(await core.attachments.keep({ name: nameOf(resource.uri), data, ...origin }));
        text += nameOf(resource.uri);
        break;
      }
      default:
        throw usageError(
          `Dewpoint takes text, images and files, but no ${block.type}.`,
          'Leave it out, then send the message again.',
        );
    }
  }
  const filled = await filledTemplate(core, text.trim());
  if (filled === '' && attachments.length === 0)
    throw usageError('The message is empty.', 'Write what you would like done.');
  return { text: filled, attachments };
}

/** One of the person's own templates, where the text begins with its name. */
async function filledTemplate(core: CoreClient, text: string): Promise<string> {
  const [, typed = '', rest = ''] = /^\/([a-z][a-z0-9-]*)(?:\s([\s\S]*))?$/u.exec(text) ?? [];
  if (typed === '') return text;
  const { templates } = await core.templates.list();
  const template = templates.find(({ name }) => name === typed);
  if (template === undefined) return text;
  const filled = fillTemplate(template.text, rest);
  if (filled.missing.length === 0) return filled.text;
  const places = filled.missing.map((name) => `${name}=…`).join(' ');
  throw usageError(`The template /${typed} still needs: ${filled.missing.join(', ')}.`, `Write /${typed} ${places}`);
}

function linkText({ workspace }: Place, uri: string, name: string): string {
  const inside = insideOf(workspace, pathOf(uri));
  if (inside === null) return `${name} (${uri})`;
  const [from, to] = linesOf(uri);
  const range = from === undefined ? '' : `:${from}${to === undefined ? '' : `-${to}`}`;
  return `${mentionOf(inside.replaceAll(sep, '/'))}${range}`;
}

/** What the editor has of a linked file of the workspace where that is not what lies there. Null: it is, or nobody says. */
async function unsavedText({ workspace, buffer }: Place, uri: string) {
  const path = pathOf(uri);
  const inside = insideOf(workspace, path);
  if (buffer === undefined || path === null || inside === null) return null;
  // No link is followed: fences go by where a file really lies.
  const saved = (await readFileBelow(workspace, inside.split(sep), longestFile))?.toString('utf8') ?? null;
  const shown = saved === null ? null : await buffer(path).catch(() => null);
  if (saved === null || shown === null || saved.replaceAll('\r\n', '\n') === shown.replaceAll('\r\n', '\n'))
    return null;
  const [from, to = from] = linesOf(uri);
  const lines =
    from === undefined
      ? shown
      : shown
          .split('\n')
          .slice(Number(from) - 1, Number(to))
          .join('\n');
  return { path, lines };
}

/** The path below the workspace; null: it lies elsewhere. */
function insideOf(workspace: string, path: string | null): string | null {
  const inside = path === null ? '..' : relative(workspace, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : inside;
}

function linesOf(uri: string): readonly (string | undefined)[] {
  return /#L(\d+)(?:(?::|-|:L|-L)(\d+))?$/u.exec(uri)?.slice(1) ?? [];
}

/** Null: no file of this machine. */
function pathOf(uri: string): string | null {
  try {
    const url = new URL(uri);
    url.hash = '';
    return url.protocol === 'file:' ? fileURLToPath(url) : null;
  } catch {
    // No address, or one of another machine.
    return null;
  }
}

function nameOf(uri: string): string {
  const path = pathOf(uri);
  return (path === null ? uri : basename(path)).slice(0, 200) || 'file';
}
