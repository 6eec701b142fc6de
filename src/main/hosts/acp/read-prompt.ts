import { fileURLToPath } from 'node:url';
import { basename, isAbsolute, relative, sep } from 'node:path';
import type { ContentBlock } from '@agentclientprotocol/sdk';
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

interface Place {
  readonly sessionId: string;
  readonly workspace: string;
}

/**
 * What an editor sends of a message. A linked file of the workspace becomes a mention, which the core reads itself, by its
 * fences; embedded files and images are attached as data; any other link stays a text. Nothing is fetched.
 */
export async function readPrompt(core: CoreClient, place: Place, blocks: readonly ContentBlock[]): Promise<ReadPrompt> {
  const attachments: Attachment[] = [];
  let text = '';
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += block.text;
        break;
      case 'resource_link':
        text += linkText(place, block.uri, block.name);
        break;
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
  const path = pathOf(uri);
  const inside = path === null ? '..' : relative(workspace, path);
  if (path === null || inside === '' || inside.startsWith('..') || isAbsolute(inside)) return `${name} (${uri})`;
  const lines = /#L(\d+)(?:(?::|-|:L|-L)(\d+))?$/u.exec(uri);
  const [, from, to] = lines ?? [];
  const range = from === undefined ? '' : `:${from}${to === undefined ? '' : `-${to}`}`;
  return `${mentionOf(inside.replaceAll(sep, '/'))}${range}`;
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
