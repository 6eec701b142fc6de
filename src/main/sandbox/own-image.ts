import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { z } from 'zod';
import { failure, success, type Reply } from '@shared/errors.ts';
import { openFolderBelow, readRegularFile } from '../lib/host-folder.ts';

/** What a project says it wants to be worked on in. */
export interface OwnImage {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: 'dockerfile' | 'image';
  readonly text: string;
  /** SHA-256 of the kind, the path and the text. */
  readonly approval: string;
}

/** Where it is looked for, in this order: what is meant for working on a project goes over what it ships in. */
const places = ['.dewpoint/Dockerfile', '.devcontainer/devcontainer.json', '.devcontainer.json', 'Dockerfile'] as const;
const maxBytes = 256 * 1024;

const containerSchema = z.object({
  image: z.string().min(1).max(400).optional(),
  dockerFile: z.string().optional(),
  build: z.object({ dockerfile: z.string().optional() }).optional(),
});

/** Read on the host without following a link. Null where the project has none; `bad-input` where it cannot be understood. */
export async function findOwnImage(projectPath: string): Promise<Reply<OwnImage | null>> {
  for (const path of places) {
    const text = await textOf(projectPath, path);
    if (text === null) continue;
    if (!path.endsWith('.json')) return success(ownImage({ path, kind: 'dockerfile', text }));
    return ofContainer(projectPath, path, text);
  }
  return success(null);
}

async function ofContainer(projectPath: string, path: string, text: string): Promise<Reply<OwnImage | null>> {
  const parsed = containerSchema.safeParse(parseWithComments(text));
  if (!parsed.success) return failure('bad-input', `${path} cannot be understood.`);
  const { image, build, dockerFile } = parsed.data;
  if (image !== undefined) return success(ownImage({ path, kind: 'image', text: image }));
  const named = build?.dockerfile ?? dockerFile;
  if (named === undefined) return failure('bad-input', `${path} names neither an image nor a Dockerfile.`);
  const file = posix.normalize(posix.join(posix.dirname(path), named));
  const found = file.startsWith('../') || file.startsWith('/') ? null : await textOf(projectPath, file);
  if (found === null) return failure('not-found', `${path} names ${named}, which is not in the project.`);
  return success(ownImage({ path: file, kind: 'dockerfile', text: found }));
}

function ownImage(image: Omit<OwnImage, 'approval'>): OwnImage {
  const { kind, path, text } = image;
  return {
    ...image,
    approval: createHash('sha256')
      .update(JSON.stringify([kind, path, text]))
      .digest('hex'),
  };
}

async function textOf(projectPath: string, path: string): Promise<string | null> {
  const names = path.split('/');
  const folder = await openFolderBelow(projectPath, names.slice(0, -1));
  if (folder === null) return null;
  try {
    const bytes = await readRegularFile(folder, names.at(-1) ?? '', maxBytes).catch(() => null);
    return bytes?.toString('utf8') ?? null;
  } finally {
    await folder.close();
  }
}

/** JSON with comments and commas at the end of lists, as these files are written. */
function parseWithComments(text: string): unknown {
  const strings = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const plain = text.replaceAll(strings, (found) => (found.startsWith('"') ? found : ' '));
  try {
    return JSON.parse(plain.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (found) => (found === ',' ? '' : found)));
  } catch {
    return null;
  }
}
