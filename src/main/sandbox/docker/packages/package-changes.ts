import { success, type Reply } from '@shared/errors.ts';
import { packagesNamedIn } from '../../packages/package-commands.ts';
import { mainPlaces, type DependencyPart } from '../../packages/dependency-part.ts';
import { keyOf } from '../../packages/find-parts.ts';
import { unnamedPart, type PartState } from '../../packages/find-prepared.ts';
import { makeMountPoint, type MountPoint } from '../../packages/mount-points.ts';
import type { DependencyRecord, DependencyRecords } from '../../packages/dependency-records.ts';
import type { ExecResult, ExtraMount, NetworkRequest, NetworkResult, PackageOutcome } from '../../sandbox.ts';
import { createDependencyVolume, removeDependencyVolume } from './dependency-volumes.ts';
import type { Engine } from '../engine/container-engine.ts';
import { imagePath } from '../../images/image-path-variable.ts';
import { runWithNetwork, type NetworkPlace, type RunBeside } from '../exec/run-with-network.ts';
import { sha256Of } from '../../../lib/sha256.ts';

/** The packages of one session that its commands may change. */
export interface SessionPackages {
  readonly engine: Engine;
  readonly homeId: string;
  readonly imageId: string;
  readonly sessionId: string;
  /** Real paths. */
  readonly projectPath: string;
  readonly workspacePath: string;
  readonly records: DependencyRecords;
  readonly states: (signal: AbortSignal) => Promise<readonly PartState[]>;
  /** Package sources from the user's configuration, without secrets and only for these hosts. */
  readonly sources: (hosts: readonly string[]) => Promise<Readonly<Record<string, string>>>;
}

interface Trial {
  readonly part: DependencyPart;
  /** The packages so far. Null: none. */
  readonly base: DependencyRecord | null;
  readonly volume: string;
  /** A second place where the package manager writes. Null: none. */
  readonly mountPoint: MountPoint | null;
}

/** The result of a command on the packages. If `isChanged`, the session must get the new ones. */
interface ChangedRun {
  readonly ran: Reply<NetworkResult>;
  readonly isChanged: boolean;
}

/**
 * Runs a command with network access on a copy of the packages. If it exits with 0 and has changed them, the copy
 * becomes their new state. Otherwise the copy is dropped, and the packages are unchanged.
 */
export async function runOnPackages(
  place: Omit<NetworkPlace, 'around'>,
  packages: SessionPackages,
  { request, signal }: { readonly request: NetworkRequest; readonly signal: AbortSignal },
): Promise<ChangedRun> {
  const trials: Trial[] = [];
  const kept = new Set<string>();
  try {
    const states = await packages.states(signal);
    for (const part of partsNamedBy(request.command, states)) {
      const base = states.find((state) => isSame(state.part, part))?.record ?? null;
      const mountPoint =
        part.ecosystem !== 'javascript'
          ? null
          : await makeMountPoint(packages.workspacePath, part.folder, 'node_modules');
      // Packages inside the project folder are changed there.
      if (mountPoint === 'blocked') continue;
      const volume = await createDependencyVolume(packages.engine, packages.homeId, packages.imageId);
      trials.push({ part, base: base?.outcome.type === 'ready' ? base : null, volume, mountPoint });
    }
    const changes = new Map<Trial, number | null>();
    const around = {
      before: (run: RunBeside, inner: AbortSignal) => copyPackages(run, trials, inner),
      after: async (run: RunBeside, ended: ExecResult, inner: AbortSignal) => {
        if (ended.exitCode !== 0) return;
        for (const trial of trials) {
          const sizeBytes = await changedSize(run, trial, inner);
          if (sizeBytes !== undefined) changes.set(trial, sizeBytes);
        }
      },
    };
    const found = await foundFirst(packages, trials, signal);
    const env = { ...(await packages.sources(request.hosts)), ...found, ...request.env };
    const mounts = [...(request.mounts ?? []), ...trials.flatMap(mountsOf)];
    const ran = await runWithNetwork({ ...place, around }, { ...request, env, mounts }, signal);
    if (!ran.ok) return { ran, isChanged: false };
    for (const [trial, sizeBytes] of changes) {
      await packages.records.write(await recordOf(packages, trial, { request, sizeBytes, signal }));
      kept.add(trial.volume);
    }
    const outcomes = outcomesOf(request, { ended: ran.value, trials, changes });
    return { ran: success({ ...ran.value, packages: outcomes }), isChanged: changes.size > 0 };
  } finally {
    for (const { volume, mountPoint } of trials) {
      if (!kept.has(volume)) await removeDependencyVolume(packages.engine, volume);
      await mountPoint?.remove();
    }
  }
}

/**
 * Removes this session's own earlier states that it no longer uses. States of the project stay, because others may
 * use them.
 */
export async function dropSuperseded(packages: SessionPackages, signal: AbortSignal): Promise<void> {
  const used = new Set((await packages.states(signal)).map(({ record }) => record?.key));
  for (const record of await packages.records.list()) {
    const { changed, outcome, projectPath, key } = record;
    const isOurs = changed?.sessionId === packages.sessionId && projectPath === packages.projectPath;
    if (!isOurs || outcome.type !== 'ready' || used.has(key)) continue;
    if (await removeDependencyVolume(packages.engine, outcome.volume)) await packages.records.remove(key);
  }
}

const isSame = (one: DependencyPart, other: DependencyPart): boolean =>
  one.ecosystem === other.ecosystem && one.folder === other.folder;

/**
 * The parts for each kind of package that the command names: those in folders that it names, else the main part,
 * else a new one.
 */
function partsNamedBy(command: string, states: readonly PartState[]): readonly DependencyPart[] {
  return packagesNamedIn(command).flatMap((ecosystem) => {
    const parts = states.map(({ part }) => part).filter((part) => part.ecosystem === ecosystem);
    const named = parts.filter(({ folder }) => folder !== '' && command.includes(folder));
    if (named.length > 0) return named;
    return [parts.find(({ place }) => place === mainPlaces[ecosystem]) ?? unnamedPart(ecosystem)];
  });
}

const beforeFolder = (part: DependencyPart): string => `/deps-before${part.place}`;

function mountsOf({ part, base, volume, mountPoint }: Trial): readonly ExtraMount[] {
  const targets = [
    ...(part.ecosystem === 'python' || part.place === mainPlaces.javascript ? [part.place] : []),
    // A package manager of JavaScript writes beside the package.json that it reads.
    ...(mountPoint === null ? [] : [mountPoint.target]),
  ];
  return [
    ...targets.map((target): ExtraMount => ({ type: 'volume', source: volume, target, readOnly: false })),
    ...(base?.outcome.type === 'ready'
      ? [{ type: 'volume', source: base.outcome.volume, target: beforeFolder(part), readOnly: true } as const]
      : []),
  ];
}

/** Variables to find packages if there were none before, because the session does not look for them yet. */
async function foundFirst(
  { engine, imageId }: SessionPackages,
  trials: readonly Trial[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const anew = trials.find(({ part, base }) => base === null && part.place === mainPlaces.python);
  if (anew === undefined) return {};
  return { VIRTUAL_ENV: anew.part.place, PATH: `${anew.part.place}/bin:${await imagePath(engine, imageId, signal)}` };
}

function writtenIn({ part, mountPoint }: Trial): string {
  return mountPoint?.target ?? part.place;
}

/** A file whose time separates older files from those that the command changed. */
const marker = '/run/dewpoint-packages';
const scriptMs = 10 * 60_000;
/** Without paths in the volumes, because the command controls the programs there. */
const ownPath = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

async function copyPackages(run: RunBeside, trials: readonly Trial[], signal: AbortSignal): Promise<Reply<void>> {
  const lines = trials.flatMap((trial) => {
    const target = writtenIn(trial);
    const { part, base } = trial;
    if (base !== null) {
      const source = `${beforeFolder(part)}/.`;
      return [`{ cp -a --reflink=auto ${source} ${target}/ 2>/dev/null || cp -a ${source} ${target}/; }`];
    }
    // The image's own packages must still be found, because tests may need them.
    return part.ecosystem === 'python' ? [`python3 -m venv --system-site-packages ${target}`] : [];
  });
  const command = ['set -e', ...lines, `touch ${marker}`].join('\n');
  const done = await run({ command, env: ownPath, timeoutMs: scriptMs }, signal);
  if (!done.ok) return done;
  if (done.value.exitCode === 0) return success(undefined);
  const reason = tail(done.value.stderr, 600);
  return {
    ok: false,
    error: {
      code: 'internal',
      message: `The packages could not be prepared for changes, so nothing was run: ${reason}`,
    },
  };
}

/** The size of the changed packages. Undefined: nothing was changed. Null: changed, but the size is unknown. */
async function changedSize(run: RunBeside, trial: Trial, signal: AbortSignal): Promise<number | null | undefined> {
  const target = writtenIn(trial);
  const command = `[ -n "$(find ${target} -cnewer ${marker} -print -quit)" ] && du -sk ${target} | cut -f1`;
  const done = await run({ command, env: ownPath, timeoutMs: scriptMs }, signal);
  if (!done.ok || done.value.exitCode !== 0) return undefined;
  const size = /^(\d+)/.exec(done.value.stdout)?.[1];
  return size === undefined ? null : Number(size) * 1024;
}

interface Kept {
  readonly request: NetworkRequest;
  readonly sizeBytes: number | null;
  readonly signal: AbortSignal;
}

async function recordOf(
  packages: SessionPackages,
  { part, base, volume }: Trial,
  { request, sizeBytes, signal }: Kept,
): Promise<DependencyRecord> {
  const { imageId, projectPath, sessionId } = packages;
  // The command may also have changed the project's files, as `npm install NAME` does.
  const now = (await packages.states(signal)).find((state) => isSame(state.part, part));
  const before = base?.changed;
  const at = Date.now();
  return {
    version: 1,
    key: sha256Of(volume).slice(0, 32),
    ecosystem: part.ecosystem,
    ...(part.folder === '' ? {} : { folder: part.folder }),
    tool: now?.part.tool ?? part.tool,
    imageId,
    projectPath,
    at,
    changed: {
      sessionId,
      // A state is approved only if every earlier state that it is based on was approved, too.
      isForProject: request.keepsPackages === 'project' && before?.isForProject !== false,
      filesKey: now?.key ?? keyOf(unnamedPart(part.ecosystem), new Map(), packages),
      commands: [...(before?.commands ?? []), { command: request.command, hosts: request.hosts, at }],
    },
    outcome: {
      type: 'ready',
      volume,
      sizeBytes,
      packages: null,
      seconds: 0,
      notes: base?.outcome.type === 'ready' ? base.outcome.notes : [],
    },
  };
}

interface Ended {
  readonly ended: ExecResult;
  readonly trials: readonly Trial[];
  readonly changes: ReadonlyMap<Trial, unknown>;
}

function outcomesOf(request: NetworkRequest, { ended, trials, changes }: Ended): readonly PackageOutcome[] {
  return trials.flatMap((trial): readonly PackageOutcome[] => {
    const { ecosystem, folder } = trial.part;
    const name = `${ecosystem === 'python' ? 'Python' : 'JavaScript'} packages${folder === '' ? '' : ` of ${folder}`}`;
    if (changes.has(trial)) {
      const isForProject = request.keepsPackages === 'project' && trial.base?.changed?.isForProject !== false;
      const whose = isForProject ? 'this session and later ones of the project' : 'this session';
      return [
        {
          isKept: true,
          text: `The ${name} are kept as this command left them, for ${whose}, to be read only. The container was made anew for it: /tmp is empty and services have ended.`,
        },
      ];
    }
    if (ended.exitCode === 0) return [];
    const how = ended.exitCode === null ? `it was ${ended.outcome}` : `it ended with code ${ended.exitCode}`;
    return [{ isKept: false, text: `Nothing of it was kept: ${how}. The ${name} are as before.` }];
  });
}

function tail(text: string, length: number): string {
  const trimmed = text.trim();
  return trimmed.length <= length ? trimmed : `…${trimmed.slice(-length)}`;
}
