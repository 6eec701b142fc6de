import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, messageOf, valueOf } from '@shared/errors.ts';
import type { BringImage, BroughtImage, ProjectImage } from '@shared/sandbox/sandbox-images.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { noteUnseen } from '../../lib/net/record-of-sends.ts';
import { engineSearch } from '../docker/engine/engine-endpoints.ts';
import { findEngine, type Engine } from '../docker/engine/container-engine.ts';
import { readImageRecords, type ImageRecords } from './engine-image-records.ts';
import { roomForImage, unknownImageBytes } from './image-disk-space.ts';
import { findOwnImage } from './own-image.ts';
import { setupOf } from '../project-sandbox-settings.ts';
import { lookUpImage, ourImageName } from './sandbox-image.ts';
import { checkWorkspace } from '../workspace/prepare-workspace.ts';
import { orNoted } from '../../lib/log.ts';
import { realpath, stat } from '../../lib/files/drive-calls.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

export interface ProjectImagesDependencies {
  readonly homePath: string;
  /** The folder that contains `sandbox/Dockerfile`. Absent: no toolchains are offered. */
  readonly resourcesPath?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: () => Settings['sandbox'];
  readonly saveProjects: (projects: Settings['sandbox']['projects']) => Promise<unknown>;
}

export interface ProjectImages {
  /** The image that a project asks for. Null: none. Builds and downloads nothing. */
  readonly ofProject: (projectPath: string) => Promise<ProjectImage | null>;
  readonly bring: (
    request: BringImage,
    onProgress: (text: string) => void,
    signal: AbortSignal,
  ) => Promise<BroughtImage>;
}

/** Images that the user adds or a project asks for. Rejects with an `AppError`. */
export function createProjectImages(deps: ProjectImagesDependencies): ProjectImages {
  return {
    ofProject: async (path) => {
      const projectPath = await realProject(deps, path);
      const own = valueOf(await findOwnImage(projectPath, await ourImageOf(deps)));
      const used = setupOf(deps.settings(), projectPath).image;
      return own && { ...own, isUsed: used?.approval === own.approval };
    },
    bring: async (request, onProgress, signal) => {
      const search = engineSearch(deps.env, deps.settings(), onProgress);
      const work: Work = { engine: valueOf(await findEngine(search, signal)), onProgress, signal };
      try {
        switch (request.type) {
          case 'import':
            return await importFile(request.file, work);
          case 'pull':
            return await pull(request.name, work);
          case 'project':
            return await bringOwn(deps, request, work);
          default:
            return request satisfies never;
        }
      } catch (error) {
        if (error instanceof AppError) throw error;
        signal.throwIfAborted();
        throw failed(messageOf(error));
      }
    },
  };
}

interface Work {
  readonly engine: Engine;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

async function realProject(deps: ProjectImagesDependencies, path: string): Promise<string> {
  return valueOf(await checkWorkspace(path, { homePath: deps.homePath, needsWrite: false }));
}

/** Imports a saved image, or else the root of a file system. */
async function importFile(file: string, work: Work): Promise<BroughtImage> {
  const path = await realpath(file).catch(() => null);
  if (path === null || !(await stat(path)).isFile()) throw new AppError('not-found', `The file ${file} was not found.`);
  const { docker } = work.engine;
  // Once for the file, and once for the layers made from it.
  valueOf(await roomForImage(work.engine, 2 * (await stat(path)).size));
  work.onProgress('Reading the file.');
  const hash = createHash('sha256');
  await askDrive(
    path,
    (left) => pipeline(createReadStream(path), hash, { signal: AbortSignal.any([work.signal, left]) }),
    work,
  );
  const repo = 'dewpoint-import';
  const tag = hash.digest('hex').slice(0, 12);
  const name = `${repo}:${tag}`;
  const loaded = await records(docker.loadImage(path, { abortSignal: work.signal }), work);
  // `sha256:…` means an image without a name.
  if (loaded.problem === null && loaded.named !== null) {
    if (!loaded.named.startsWith('sha256:')) return inspected(loaded.named, work);
    await docker.getImage(loaded.named).tag({ repo, tag });
    return inspected(name, work);
  }
  work.onProgress('It is not a saved image, so it is imported as a root file system.');
  // Name and tag are one word, because Podman ignores `tag`.
  const imported = await records(docker.importImage(path, { repo: name, abortSignal: work.signal }), work);
  if (imported.problem !== null)
    throw failed(`${imported.problem} (as a saved image: ${loaded.problem ?? 'no image'})`);
  return inspected(name, work);
}

async function pull(name: string, work: Work): Promise<BroughtImage> {
  if (!/^[\w][\w./:@-]*$/.test(name)) throw new AppError('bad-input', `"${name}" cannot be the name of an image.`);
  valueOf(await roomForImage(work.engine, unknownImageBytes));
  work.onProgress(`Fetching ${name}.`);
  const { docker } = work.engine;
  // Without a tag, the engine would pull all tags.
  const wanted = /[:@][^/:@]*$/.test(name) ? name : `${name}:latest`;
  noteUnseen(`the container engine, for ${name}`);
  const { problem } = await records(docker.pull(wanted, { abortSignal: work.signal }), work);
  if (problem !== null) throw failed(problem);
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(name)?.[1];
  const found = await docker.getImage(wanted).inspect();
  const digests = found.RepoDigests;
  if (digest !== undefined && !digests.some((one) => one.endsWith(`@${digest}`)))
    throw failed('the downloaded image has another digest');
  return inspected(digest === undefined ? (digests[0] ?? wanted) : wanted, work);
}

async function ourImageOf({ resourcesPath }: ProjectImagesDependencies): Promise<string | null> {
  return resourcesPath === undefined ? null : ourImageName(resourcesPath);
}

/** Brings exactly what was approved. The file is read again here to check that. */
async function bringOwn(
  deps: ProjectImagesDependencies,
  { projectPath: path, approval }: Extract<BringImage, { type: 'project' }>,
  work: Work,
): Promise<BroughtImage> {
  const projectPath = await realProject(deps, path);
  const ours = await ourImageOf(deps);
  const own = valueOf(await findOwnImage(projectPath, ours));
  if (own?.approval !== approval) {
    throw new AppError('conflict', 'The project asks for something else since your approval. Nothing was done.', {
      hint: 'Look at it again: dewpoint sandbox image use',
    });
  }
  if (own.toolchains !== undefined && ours !== null && (await lookUpImage(work.engine, ours, work.signal)) === null) {
    throw new AppError('missing-sandbox', "Dewpoint's own image, which this one extends, was not made yet.", {
      hint: `Make it with: dewpoint projects prepare ${projectPath}`,
    });
  }
  const image = own.kind === 'image' ? await bringNamed(own.text, work) : await build(own.text, approval, work);
  const { projects } = deps.settings();
  const before = setupOf(deps.settings(), projectPath);
  const kept = {
    ...before,
    image: { name: image.name, approval },
    // The user's own settings override what the project asks for.
    env: { ...own.environment, ...before.env },
    setup: { ...own.setup, ...before.setup },
  };
  await deps.saveProjects({ ...projects, [projectPath]: kept });
  return image;
}

/** Uses an image of this name that is already here. Where no registry can be reached, it was brought by hand. */
async function bringNamed(name: string, work: Work): Promise<BroughtImage> {
  const present = await inspected(name, work).catch(
    orNoted('sandbox: the engine could not say whether an image is here', null),
  );
  return present ?? pull(name, work);
}

/** Builds from the Dockerfile's text alone, so that nothing of the project gets into the image. */
async function build(text: string, approval: string, work: Work): Promise<BroughtImage> {
  valueOf(await roomForImage(work.engine, unknownImageBytes));
  const context = await mkdtemp(join(tmpdir(), 'dewpoint-build-'));
  try {
    await writeFile(join(context, 'Dockerfile'), text);
    const name = `dewpoint-project:${approval.slice(0, 12)}`;
    const building = work.engine.docker.buildImage(
      { context, src: ['Dockerfile'] },
      { t: name, rm: true, forcerm: true, abortSignal: work.signal },
    );
    const { problem } = await records(building, work);
    if (problem !== null) {
      const isCopy = /COPY|ADD|no such file|not found/i.test(problem) && /^[ \t]*(?:COPY|ADD)\s/im.test(text);
      throw failed(`${problem}${isCopy ? ' (the build gets only the Dockerfile, no files of the project)' : ''}`);
    }
    return await inspected(name, work);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

async function records(stream: Promise<NodeJS.ReadableStream>, { onProgress, signal }: Work): Promise<ImageRecords> {
  try {
    return await readImageRecords(await stream, onProgress);
  } catch (error) {
    signal.throwIfAborted();
    return { problem: messageOf(error), named: null };
  }
}

async function inspected(name: string, { engine }: Work): Promise<BroughtImage> {
  const found = await engine.docker.getImage(name).inspect();
  return { name, id: found.Id, sizeBytes: found.Size };
}

function failed(why: string): AppError {
  // The engine's messages come from Go's network library.
  if (/no such host|dial tcp|network is unreachable|i\/o timeout|TLS handshake timeout/i.test(why)) {
    return new AppError(
      'missing-sandbox',
      `The image could not be pulled, because its registry cannot be reached (${why}).`,
      {
        hint: 'On a machine that is online, run: docker save -o image.tar NAME. Then run here: dewpoint sandbox image import image.tar',
      },
    );
  }
  return new AppError('missing-sandbox', `No image was made: ${why}.`);
}
