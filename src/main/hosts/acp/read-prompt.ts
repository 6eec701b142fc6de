import { fileURLToPath } from 'node:url';
import { basename, isAbsolute, relative, sep } from 'node:path';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { readFileBelow } from '../../lib/files/host-folder.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { mentionOf } from '@shared/attachments/file-mentions.ts';
import { fillTemplate } from '@shared/session/prompt-templates.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { usageError } from '../text/report-failure.ts';
import { orNoted } from '../../lib/log.ts';

/** A message in the form that the core takes. */
export interface ReadPrompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** In bytes. A longer file is left to the core, which reads it in parts. */
const longestFile = 4 * 1024 * 1024;

interface Place {
  readonly sessionId: string;
  readonly workspace: string;
  readonly projectPath: string | null;
  /** The text of a file as it is open in the editor. Absent: the editor does not provide it. */
  readonly buffer?: (path: string) => Promise<string>;
}

/**
 * Reads the message of an editor. A linked file of the workspace becomes a mention, which the core reads under its
 * fences. If the editor has unsaved text of it, that text is attached instead. Embedded files and images are attached
 * as data. Other links stay text. Nothing is fetched.
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
        const name = block.uri === undefined || block.uri === null ? 'image' : linkedFileName(block.uri);
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
        attachments.push(await core.attachments.keep({ name: linkedFileName(resource.uri), data, ...origin }));
        text += linkedFileName(resource.uri);
        break;
      }
      default:
        throw usageError(
          `Dewpoint takes text, images and files, but no ${block.type}.`,
          'Leave it out, then send the message again.',
        );
    }
  }
  const filled = await filledTemplate(core, place, text.trim());
  if (filled === '' && attachments.length === 0)
    throw usageError('The message is empty.', 'Write what you would like done.');
  return { text: filled, attachments };
}

/** Fills in the user's template, if the text begins with its name. */
async function filledTemplate(core: CoreClient, { projectPath }: Place, text: string): Promise<string> {
  const [, typed = '', rest = ''] = /^\/([a-z][a-z0-9-]*)(?:\s([\s\S]*))?$/u.exec(text) ?? [];
  if (typed === '') return text;
  const { templates } = await core.templates.list({ projectPath });
  const template = templates.find(({ name }) => name === typed);
  if (template === undefined) return text;
  const filled = fillTemplate(template.text, rest);
  if (filled.missing.length === 0) return filled.text;
  const places = filled.missing.map((name) => `${name}=…`).join(' ');
  throw usageError(`The prompt /${typed} still needs: ${filled.missing.join(', ')}.`, `Write /${typed} ${places}`);
}

function linkText({ workspace }: Place, uri: string, name: string): string {
  const inside = insideOf(workspace, pathOf(uri));
  if (inside === null) return `${name} (${uri})`;
  const [from, to] = linesOf(uri);
  const range = from === undefined ? '' : `:${from}${to === undefined ? '' : `-${to}`}`;
  return `${mentionOf(inside.replaceAll(sep, '/'))}${range}`;
}

/** The editor's text of a linked workspace file if it differs from the saved text. Null: the same, or unknown. */
async function unsavedText({ workspace, buffer }: Place, uri: string) {
  const path = pathOf(uri);
  const inside = insideOf(workspace, path);
  if (buffer === undefined || path === null || inside === null) return null;
  // Follows no link, because fences depend on where a file really is.
  const saved = (await readFileBelow(workspace, inside.split(sep), longestFile))?.toString('utf8') ?? null;
  const shown =
    saved === null
      ? null
      : await buffer(path).catch(orNoted('acp: an unsaved file was not read from the editor', null));
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

/** The path below the workspace. Null: it is elsewhere. */
function insideOf(workspace: string, path: string | null): string | null {
  const inside = path === null ? '..' : relative(workspace, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : inside;
}

function linesOf(uri: string): readonly (string | undefined)[] {
  return /#L(\d+)(?:(?::|-|:L|-L)(\d+))?$/u.exec(uri)?.slice(1) ?? [];
}

/** Null: not a file of this machine. */
function pathOf(uri: string): string | null {
  try {
    const url = new URL(uri);
    url.hash = '';
    return url.protocol === 'file:' ? fileURLToPath(url) : null;
  } catch {
    // Not an address, or one of another machine.
    return null;
  }
}

function linkedFileName(uri: string): string {
  const path = pathOf(uri);
  return (path === null ? uri : basename(path)).slice(0, 200) || 'file';
}
