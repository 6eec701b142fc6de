import { posix } from 'node:path';
import { failure, success, type Reply } from '@shared/errors.ts';
import { parseDevContainer, type DevContainer } from './dev-container.ts';
import { readFileBelow } from '../../lib/files/host-folder.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** What a project says it wants to be worked on in. */
export interface OwnImage {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: 'dockerfile' | 'image';
  readonly text: string;
  /** By which its packages are installed, in place of what would be found out, and variables for its commands. */
  readonly setup: DevContainer['setup'];
  readonly environment: DevContainer['environment'];
  /** What it asks for besides and does not get. */
  readonly leftOut: readonly string[];
  /** SHA-256 of the kind, the path, the text, the commands and the variables. */
  readonly approval: string;
}

/** Where it is looked for, in this order: what is meant for working on a project goes over what it ships in. */
const places = ['.dewpoint/Dockerfile', '.devcontainer/devcontainer.json', '.devcontainer.json', 'Dockerfile'] as const;
const maxBytes = 256 * 1024;

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
  const said = parseDevContainer(text);
  if (said === null) return failure('bad-input', `${path} cannot be read.`);
  const { image, dockerfile, setup, environment, leftOut } = said;
  const besides = { setup, environment, leftOut };
  if (image !== null) return success(ownImage({ path, kind: 'image', text: image }, besides));
  if (dockerfile === null) {
    const missing = leftOut.length === 0 ? undefined : `Not supported here: ${leftOut.join('; ')}.`;
    return failure('bad-input', `${path} names neither an image nor a Dockerfile.`, missing);
  }
  const file = posix.normalize(posix.join(posix.dirname(path), dockerfile));
  const found = file.startsWith('../') || file.startsWith('/') ? null : await textOf(projectPath, file);
  if (found === null) return failure('not-found', `${path} names ${dockerfile}, which is not in the project.`);
  return success(ownImage({ path: file, kind: 'dockerfile', text: found }, besides));
}

type Besides = Pick<OwnImage, 'setup' | 'environment' | 'leftOut'>;

const nothing: Besides = { setup: {}, environment: {}, leftOut: [] };

function ownImage(image: Pick<OwnImage, 'kind' | 'path' | 'text'>, besides = nothing): OwnImage {
  const { kind, path, text } = image;
  const { setup, environment } = besides;
  // What was approved when there was no more than an image stays approved.
  const more = Object.keys({ ...setup, ...environment }).length === 0 ? [] : [setup, environment];
  return {
    ...image,
    ...besides,
    approval: sha256Of(JSON.stringify([kind, path, text, ...more])),
  };
}

async function textOf(projectPath: string, path: string): Promise<string | null> {
  // What cannot be read counts as missing.
  return (await readFileBelow(projectPath, path.split('/'), maxBytes))?.toString('utf8') ?? null;
}
