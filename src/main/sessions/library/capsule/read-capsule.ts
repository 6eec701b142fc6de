import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { CapsuleReport, UnpackedCapsule } from '@shared/contract/capsules-contract.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { errorCodeOf, makeFolder } from '../../../lib/files/json-file.ts';
import { turnOptionsSchema } from '../../../settings/turn-options.ts';
import { createBlobs, type Blobs } from '../../blobs/blob-store.ts';
import { createSafeFolder } from '../../changes/safe-folder.ts';
import { refuseOlderLog, replaySession } from '../../replay/replay-session.ts';
import { openPackedLog } from '../packed-log.ts';
import {
  capsuleForm,
  checkHeader,
  engineHere,
  hashOfFiles,
  type CapsuleFile,
  type CapsuleHeader,
} from './capsule-file.ts';
import { packagesLeft } from './first-state.ts';
import type { CapsuleOptions } from './make-capsule.ts';
import { askDrive } from '../../../lib/files/served-drives.ts';
import { orNoted } from '../../../lib/log.ts';

export type UnpackOptions = Pick<CapsuleOptions, 'home' | 'modelInfo' | 'version'>;

interface OpenedCapsule {
  readonly header: CapsuleHeader;
  readonly events: readonly SessionEvent[];
  readonly blobs: Blobs;
}

/** Unpacks and replays a capsule in a folder of its own, which is removed. Nothing of it reaches a model. */
export async function checkCapsule(options: CapsuleOptions, path: string, signal: AbortSignal): Promise<CapsuleReport> {
  return inTemporary(options, async (folder) => {
    const { header, events, blobs } = await readCapsule(path, join(folder, 'blobs'), signal);
    const place = join(folder, 'files');
    await unpackFiles({ header, blobs }, place, signal);
    const files = await filesIn(place, header.files);
    const session = {
      sessionId: header.sessionId,
      problems: [],
      read: async function* () {
        yield* events;
      },
    };
    await refuseOlderLog(session);
    const { title, appVersion, engine, models, left, replay, task } = header;
    const report = replay === null ? null : await replaySession(session, blobs, options.runTurn);
    const isSame = report === null || report.stateHash === replay?.hash;
    const filesHash = hashOfFiles(files);
    return {
      title,
      appVersion,
      engine,
      models,
      left,
      files: files.length,
      filesHash,
      sameFiles: filesHash === hashOfFiles(header.files),
      replayHash: report?.stateHash ?? null,
      sameReplay: report === null ? null : report.matched && isSame,
      difference: report?.firstDifference ?? (isSame ? null : 'the replay has another hash'),
      task: task === undefined ? null : { kind: task.kind, request: task.request, check: task.check },
    };
  });
}

/** Unpacks the files of a capsule into a new folder, and says what its task was. */
export async function unpackCapsule(
  options: UnpackOptions,
  { path, folder }: { readonly path: string; readonly folder: string },
  signal: AbortSignal,
): Promise<UnpackedCapsule> {
  if (!isAbsolute(folder)) throw new AppError('bad-input', 'Give the whole path of the folder, from the root on.');
  return inTemporary(options, async (temporary) => {
    const { header, events, blobs } = await readCapsule(path, join(temporary, 'blobs'), signal);
    await makeNew(folder);
    try {
      await unpackFiles({ header, blobs }, folder, signal);
    } catch (error) {
      await askDrive(folder, () => rm(folder, { recursive: true, force: true })).catch(
        orNoted('A folder of a capsule stays', undefined),
      );
      throw error;
    }
    const { task } = header;
    const said = events.flatMap((event) => (event.type === 'user-message-added' ? [event.text] : []));
    const messages = task === undefined ? said : [task.request];
    const { found, notes } = await compareModels(options, header, signal);
    const attached = events.some(
      (event) => event.type === 'user-message-added' && (event.attachments ?? []).length > 0,
    );
    return {
      folder,
      files: header.files.length,
      messages,
      task: task ?? null,
      packages: packagesLeft(header.left),
      options: {
        ...optionsOf(events, found),
        ...(task === undefined || task.check === null ? {} : { check: task.check }),
      },
      notes: [
        ...notes,
        ...(attached ? ['Its messages had attachments, which are not sent again.'] : []),
        ...(header.changedSince.length === 0
          ? []
          : [
              `${header.changedSince.length} of its files ${header.changedSince.length === 1 ? 'was' : 'were'} changed by something else after the recorded session began.`,
            ]),
        ...(header.left.length === 0
          ? []
          : [
              header.left.length === 1
                ? '1 file or folder was left out when it was made.'
                : `${header.left.length} files or folders were left out when it was made.`,
            ]),
      ],
    };
  });
}

/** Only a folder that was made here is removed again when something fails. */
async function makeNew(folder: string): Promise<void> {
  await askDrive(dirname(folder), async () => {
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  }).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    throw new AppError('conflict', `${folder} already exists.`, { hint: 'Name a new folder: the task runs in it.' });
  });
}

async function inTemporary<T>({ home }: UnpackOptions, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(home, 'workspaces', `capsule-${randomBytes(6).toString('hex')}`);
  await makeFolder(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readCapsule(path: string, blobFolder: string, signal: AbortSignal): Promise<OpenedCapsule> {
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Give the whole path of the file, from the root on.');
  const file = await openPackedLog(capsuleForm, path, signal);
  try {
    checkHeader(file.header);
    const events: SessionEvent[] = [];
    for await (const event of file.events()) events.push(event);
    const blobs = createBlobs(blobFolder);
    await file.keepBlobs(blobs);
    return { header: file.header, events, blobs };
  } finally {
    file.close();
  }
}

async function unpackFiles(
  { header, blobs }: Pick<OpenedCapsule, 'header' | 'blobs'>,
  place: string,
  signal: AbortSignal,
): Promise<void> {
  await makeFolder(place);
  const folder = createSafeFolder(place);
  for (const { path, canRun, sha256, bytes: size } of header.files) {
    signal.throwIfAborted();
    const bytes = await blobs.get({ sha256, bytes: size });
    const mode = canRun ? 0o755 : 0o644;
    const isDone = bytes !== null && (await folder.write(path, { bytes, mode }, (now) => now.type === 'missing'));
    if (isDone) continue;
    throw new AppError('bad-input', `${path} cannot be unpacked: this disk takes its name for that of another file.`, {
      hint: 'Use a disk that tells capital and small letters apart.',
    });
  }
}

/** The files as they lie there now. */
async function filesIn(place: string, expected: readonly CapsuleFile[]): Promise<readonly CapsuleFile[]> {
  const folder = createSafeFolder(place);
  const found: CapsuleFile[] = [];
  for (const { path, canRun } of expected) {
    const now = await folder.look(path);
    if (now.type !== 'file' || now.sha256 === null) continue;
    // Where files have no such mode, each can be run, or none.
    const isExecutable = process.platform === 'win32' ? canRun : (now.mode & 0o100) !== 0;
    found.push({ path, sha256: now.sha256, bytes: now.sizeBytes, canRun: isExecutable });
  }
  return found;
}

async function compareModels(
  { modelInfo, version }: UnpackOptions,
  { models, engine, appVersion }: CapsuleHeader,
  signal: AbortSignal,
): Promise<{ readonly found: ReadonlySet<string>; readonly notes: readonly string[] }> {
  const found = new Set<string>();
  const notes: string[] = [];
  for (const { id, where, digest } of models) {
    const info = await modelInfo(id, signal).catch(() => null);
    if (info !== null) found.add(id);
    if (info === null) notes.push(`The model ${id} is not here. Your own model of that kind does its work.`);
    else if (digest !== null && info.digest !== undefined && info.digest !== digest)
      notes.push(`The model ${id} has other files here than where the capsule was made.`);
    else if (where === 'local' && (digest === null || info.digest === undefined))
      notes.push(`Nobody knows whether the model ${id} has the same files here, because they were not hashed.`);
  }
  if (engine !== engineHere)
    notes.push(`The engine differs: the capsule was made with ${engine}, and this is ${engineHere}.`);
  if (appVersion !== version) notes.push(`Dewpoint differs: the capsule was made with ${appVersion}.`);
  return { found, notes };
}

/** What was chosen for the first turn. A model that is not here is not named, so your own is taken. */
function optionsOf(events: readonly SessionEvent[], found: ReadonlySet<string>): UnpackedCapsule['options'] {
  const opening = events.find((event) => event.type === 'tool-started' && event.tool === 'gather_facts');
  if (opening?.type !== 'tool-started') return {};
  const parsed = turnOptionsSchema.safeParse(fieldOf(opening.input, 'options'));
  if (!parsed.success) return {};
  const { policy, local, cloud, check, seed, strategy } = parsed.data;
  return {
    policy,
    ...(found.has(local) ? { local } : {}),
    ...(cloud !== null && found.has(cloud) ? { cloud } : {}),
    ...(check === null ? {} : { check }),
    ...(seed === null ? {} : { seed }),
    strategy,
  };
}
