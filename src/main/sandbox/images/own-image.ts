import { posix } from 'node:path';
import { failure, success, type Reply } from '@shared/errors.ts';
import { parseDevContainer, type DevContainer } from './dev-container.ts';
import { readFileBelow } from '../../lib/files/host-folder.ts';
import { findToolchainImage } from './toolchain-image.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** The image that a project asks for. */
export interface OwnImage {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: 'dockerfile' | 'image';
  readonly text: string;
  /**
   * The commands that install its packages, instead of those that would be found out, and variables for its
   * commands.
   */
  readonly setup: DevContainer['setup'];
  readonly environment: DevContainer['environment'];
  /** What else it asks for that is not supported. */
  readonly leftOut: readonly string[];
  /** The toolchains of an image that Dewpoint offers, because the project itself asks for none. */
  readonly toolchains?: readonly string[];
  /** SHA-256 of kind, path, text, commands and variables. */
  readonly approval: string;
}

/** The places to look for files for working on a project, in this order. */
const places = ['.dewpoint/Dockerfile', '.devcontainer/devcontainer.json', '.devcontainer.json'] as const;
/** For shipping it. Seldom has what tests need. */
const shipped = 'Dockerfile';
const maxBytes = 256 * 1024;

/**
 * Reads the project's file on the host without following a link. Null if there is none. Fails with `bad-input` if it
 * cannot be understood. `ourImage`: a project in other languages than Python and JavaScript gets this one with their
 * toolchains, before its own Dockerfile for shipping it. Null: it gets none.
 */
export async function findOwnImage(projectPath: string, ourImage: string | null): Promise<Reply<OwnImage | null>> {
  for (const path of places) {
    const text = await textOf(projectPath, path);
    if (text === null) continue;
    if (!path.endsWith('.json')) return success(ownImage({ path, kind: 'dockerfile', text }));
    return ofContainer(projectPath, path, text);
  }
  const made = ourImage === null ? null : await findToolchainImage(projectPath, ourImage);
  if (made !== null) {
    const path = `Dewpoint's image with ${made.names.join(', ')}`;
    return success({ ...ownImage({ path, kind: 'dockerfile', text: made.text }), toolchains: made.names });
  }
  const text = await textOf(projectPath, shipped);
  return success(text === null ? null : ownImage({ path: shipped, kind: 'dockerfile', text }));
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
  // Without commands and variables, the hash stays as it was before those were supported, and so do approvals.
  const more = Object.keys({ ...setup, ...environment }).length === 0 ? [] : [setup, environment];
  return {
    ...image,
    ...besides,
    approval: sha256Of(JSON.stringify([kind, path, text, ...more])),
  };
}

async function textOf(projectPath: string, path: string): Promise<string | null> {
  // A file that cannot be read counts as missing.
  return (await readFileBelow(projectPath, path.split('/'), maxBytes))?.toString('utf8') ?? null;
}
