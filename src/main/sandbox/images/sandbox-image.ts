import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { failure, messageOf, success, type Reply } from '@shared/errors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { statusOf, withDeadline } from '../docker/engine/engine-deadline.ts';
import type { Engine } from '../docker/engine/container-engine.ts';
import { readImageRecords } from './engine-image-records.ts';
import { ownImageBytes, roomForImage } from './image-disk-space.ts';
import { runnerVersion } from '../docker/runner/runner-frames.ts';
import { runnerLabel } from '../docker/runner/runner-processes.ts';
import { jsonIn } from '@shared/text/json-in.ts';

export interface ImageRequest {
  /** The image that the user chose. Null: our own. */
  readonly wanted: string | null;
  /** The folder that contains `sandbox/Dockerfile`. */
  readonly resourcesPath: string;
  /** The script that makes the image where no registry can be reached. Null in builds without scripts. */
  readonly script: ImageScript | null;
  readonly onProgress: (text: string) => void;
}

export interface ImageScript {
  readonly node: string;
  readonly path: string;
  readonly programs: HostPrograms;
}

export interface SandboxImage {
  /** For users and for the log. */
  readonly name: string;
  /** `sha256:…`. Containers are made from this id, even if the name later means another image. */
  readonly id: string;
  /** Whether the image contains the runner in the version of this Dewpoint, or wants none (its label is `none`). */
  readonly runner: 'brought' | 'missing' | 'unwanted';
}

const inspectMs = 10_000;

/** Finds the sandbox image, and makes it if it is not there. Fails with `missing-sandbox`. */
export async function findImage(
  engine: Engine,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<Reply<SandboxImage>> {
  const { wanted } = request;
  if (wanted !== null) {
    const found = await lookUpImage(engine, wanted, signal);
    if (found !== null) return success({ name: wanted, ...found });
    return failure(
      'missing-sandbox',
      `The image ${wanted} in your settings is not on this machine.`,
      `Pull it with: dewpoint sandbox image pull ${wanted}. Or use Dewpoint's own image: dewpoint settings set sandbox.image null`,
    );
  }
  const name = await ourImageName(request.resourcesPath);
  const present = await lookUpImage(engine, name, signal);
  if (present !== null) return success({ name, ...present });
  const room = await roomForImage(engine, ownImageBytes);
  if (!room.ok) return room;
  const problems: string[] = [];
  for (const make of [runScript, buildHere]) {
    const made = await make(engine, { ...request, name }, signal);
    if (signal.aborted) return failure('cancelled', 'It was cancelled.');
    const found = made.ok ? await lookUpImage(engine, name, signal) : null;
    if (found !== null) return success({ name, ...found });
    problems.push(made.ok ? 'the new image was not found' : made.error.message);
  }
  return failure(
    'missing-sandbox',
    `The sandbox image could not be built: ${problems.filter((text) => text !== '').join('; ')}`,
    'Go online once and start again, or set an image you have: dewpoint settings set sandbox.image NAME',
  );
}

/** The name of the image for this Dockerfile and runner. It changes with their content. */
export async function ourImageName(resourcesPath: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await sourcesOf(join(resourcesPath, 'sandbox')))
    hash.update(file).update(await readFile(join(resourcesPath, 'sandbox', file)));
  return `dewpoint-sandbox:dockerfile-${hash.digest('hex').slice(0, 12)}`;
}

/** The files that the image is built from, relative to the folder, in a fixed order. */
async function sourcesOf(folder: string): Promise<readonly string[]> {
  const runner = await readdir(join(folder, 'runner'));
  return ['Dockerfile', ...runner.sort().map((name) => `runner/${name}`)];
}

/** Null if the engine does not have the image. */
export async function lookUpImage(
  engine: Engine,
  name: string,
  signal: AbortSignal,
): Promise<Pick<SandboxImage, 'id' | 'runner'> | null> {
  try {
    const found = await withDeadline(inspectMs, signal, () => engine.docker.getImage(name).inspect());
    const label = found.Config?.Labels?.[runnerLabel];
    const runner = label === String(runnerVersion) ? 'brought' : label === 'none' ? 'unwanted' : 'missing';
    return { id: found.Id, runner };
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

type Making = ImageRequest & { readonly name: string };

const scriptResultSchema = z.object({ image: z.string(), id: z.string() });

/**
 * The first choice if the script is there: it uses the cache, and the registry or ways without it. It prints its
 * progress on stderr.
 */
async function runScript(
  engine: Engine,
  { script, name, onProgress }: Making,
  signal: AbortSignal,
): Promise<Reply<string>> {
  // Some builds of the program do not contain the script.
  if (script === null || (await stat(script.path).catch(() => null)) === null) return failure('missing-sandbox', '');
  let last = '';
  const output = await script.programs.run([script.node], [script.path, '--json'], {
    needs: ['network', 'npm', 'containers'],
    signal,
    onErrorLine: (line) => {
      last = line;
      onProgress(line);
    },
  });
  const result = scriptResultSchema.safeParse(jsonIn(output.stdout.trim().split('\n').at(-1) ?? ''));
  if (output.code !== 0 || !result.success)
    return failure('missing-sandbox', last === '' ? output.output.trim() : last);
  const [repo = '', tag = ''] = name.split(':');
  await withDeadline(inspectMs, signal, () => engine.docker.getImage(result.data.image).tag({ repo, tag }));
  return success(result.data.id);
}

/**
 * Builds with the engine alone. A failed build ends the stream normally: only an `error` record in it shows the
 * failure.
 */
async function buildHere(
  engine: Engine,
  { resourcesPath, name, onProgress }: Making,
  signal: AbortSignal,
): Promise<Reply<string>> {
  try {
    onProgress('Building the sandbox image (once, takes some minutes).');
    const context = join(resourcesPath, 'sandbox');
    const stream = await engine.docker.buildImage(
      { context, src: [...(await sourcesOf(context))] },
      { t: name, rm: true, forcerm: true, abortSignal: signal },
    );
    const { problem } = await readImageRecords(stream, onProgress);
    if (problem !== null) return failure('missing-sandbox', problem);
    const made = await lookUpImage(engine, name, signal);
    return made === null ? failure('missing-sandbox', 'the build left no image') : success(made.id);
  } catch (error) {
    return failure('missing-sandbox', messageOf(error));
  }
}
