import projectStart from '../../../../../resources/programs/sandbox/dewpoint_project.py?raw';
import finishPython from '../../../../../resources/programs/sandbox/finish-install.py?raw';
import finishJavascript from '../../../../../resources/programs/sandbox/finish-install.sh?raw';
import { randomBytes } from 'node:crypto';
import { chown, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, success, toFailure, type Reply } from '@shared/errors.ts';
import { makeFolder } from '../../../lib/files/json-file.ts';
import type { Ecosystem } from '../../packages/dependency-part.ts';
import { packageListing } from '../../packages/other-parts.ts';
import type { PartState } from '../../packages/find-prepared.ts';
import { shellQuote } from '../../../lib/programs/shell-quote.ts';
import { endOf, installationFailure } from '../../packages/installation-failure.ts';
import type { PackageSources } from '../../packages/package-sources.ts';
import type { DependencyRecord, DependencyRecords } from '../../packages/dependency-records.ts';
import type { ExtraMount, NetworkRequest, Sandbox } from '../../sandbox.ts';
import type { Mask } from '../../workspace/workspace-scan.ts';
import { createDependencyVolume, removeDependencyVolume } from './dependency-volumes.ts';
import type { Engine } from '../engine/container-engine.ts';
import { sha256Of } from '../../../lib/sha256.ts';
import { orNoted } from '../../../lib/log.ts';
import { stat } from '../../../lib/files/drive-calls.ts';

export interface PrepareRequest {
  readonly engine: Engine;
  readonly imageId: string;
  readonly homeId: string;
  readonly homePath: string;
  /** A real path. It is mounted read-only. */
  readonly projectPath: string;
  /** The hidden files, relative to the project. They are empty in the container. */
  readonly masks: readonly Mask[];
  readonly parts: readonly PartState[];
  readonly sources: PackageSources;
  /** Hosts that the user allowed for the installation. */
  readonly hosts: readonly string[];
  readonly records: DependencyRecords;
  /** Starts a sandbox on an empty workspace with these mounts. */
  readonly start: (
    workspacePath: string,
    mounts: readonly ExtraMount[],
    signal: AbortSignal,
  ) => Promise<Reply<Sandbox>>;
  readonly onProgress: (text: string) => void;
}

const projectInContainer = '/project';
const commandMs = 20 * 60_000;
const shortMs = 5 * 60_000;

/**
 * Installs the packages of a project in its own container, each part into a new volume. A failed part leaves a
 * record of the reason and no volume; the others are installed all the same. The project is only read: packages are
 * installed from a copy in the container, where their install scripts run under the sandbox's protection.
 */
export async function prepareDependencies(
  request: PrepareRequest,
  signal: AbortSignal,
): Promise<Reply<readonly DependencyRecord[]>> {
  const workspace = join(request.homePath, 'workspaces', `prepare-${randomBytes(6).toString('hex')}`);
  const volumes = new Map<string, string>();
  let sandbox: Sandbox | null = null;
  const kept = new Set<string>();
  try {
    await makeFolder(workspace);
    // Commands run as the owner of their workspace. So it gets the project's owner, who can read the project.
    const { uid, gid } = await stat(request.projectPath);
    await chown(workspace, uid, gid).catch(orNoted('sandbox: a copy kept its old owner', undefined));
    for (const { key } of request.parts)
      volumes.set(key, await createDependencyVolume(request.engine, request.homeId, request.imageId));
    const started = await request.start(await realpath(workspace), mountsOf(request, volumes), signal);
    if (!started.ok) return started;
    sandbox = started.value;
    const readied = await readyCopy(request, sandbox, signal);
    if (!readied.ok) return readied;
    const records: DependencyRecord[] = [];
    for (const state of request.parts) {
      const volume = volumes.get(state.key) ?? '';
      const made = await preparePart({ request, sandbox, state, volume, isUnversioned: readied.value }, signal);
      if (!made.ok) return made;
      records.push(made.value);
      if (made.value.outcome.type === 'ready') kept.add(volume);
      const before = (await request.records.read(state.key))?.outcome;
      await request.records.write(made.value);
      // It was installed again, so the old volume goes. If a session still uses it, `clean` removes it later.
      if (before?.type === 'ready') await removeDependencyVolume(request.engine, before.volume);
    }
    return success(records);
  } catch (error) {
    return { ok: false, error: signal.aborted ? failure('cancelled', 'It was cancelled.').error : toFailure(error) };
  } finally {
    await sandbox?.dispose();
    for (const volume of volumes.values()) {
      if (!kept.has(volume)) await removeDependencyVolume(request.engine, volume);
    }
    await rm(workspace, { recursive: true, force: true });
  }
}

function mountsOf(request: PrepareRequest, volumes: ReadonlyMap<string, string>): readonly ExtraMount[] {
  const { projectPath, masks, homePath, parts } = request;
  return [
    { type: 'bind', source: projectPath, target: projectInContainer, readOnly: true },
    // The empty file exists once a container has been planned.
    ...masks.map(({ path, kind }): ExtraMount => ({
      type: 'bind',
      source: join(homePath, 'sandbox', kind === 'file' ? 'empty' : 'empty-folder'),
      target: `${projectInContainer}/${path}`,
      readOnly: true,
    })),
    ...parts.map(({ key, part }): ExtraMount => ({
      type: 'volume',
      source: volumes.get(key) ?? '',
      target: part.place,
      readOnly: false,
    })),
  ];
}

/** Copies the project and writes the package managers' configuration. Returns true if the copy has no version. */
async function readyCopy(request: PrepareRequest, sandbox: Sandbox, signal: AbortSignal): Promise<Reply<boolean>> {
  const scratch = sandbox.scratchPath;
  if (scratch === null) return failure('missing-sandbox', 'The sandbox image has no space to install packages.');
  const leftOut = ['node_modules', '.venv', 'venv', '.tox', '.nox'].map((name) => `--exclude=./${name}`).join(' ');
  const script = [
    `mkdir -p ${scratch}/project ${scratch}/tmp ${scratch}/cache`,
    `tar -C ${projectInContainer} ${leftOut} -cf - . | tar -C ${scratch}/project -x -o -f -`,
    `cd ${scratch}/project`,
    `cat > ${scratch}/npmrc`,
    '{ [ -e .git ] || [ -e PKG-INFO ] || echo UNVERSIONED; }',
  ];
  const npmrc = Buffer.from(request.sources.npmrc);
  let isUnversioned = false;
  for (const [command, stdin] of [
    [script.join(' && '), npmrc],
    [
      `{ cat /etc/ssl/certs/ca-certificates.crt 2>/dev/null; cat; } > ${scratch}/ca.pem`,
      Buffer.from(request.sources.certificates),
    ],
  ] as const) {
    const done = await sandbox.exec({ command: `set -o pipefail; ${command}`, stdin, timeoutMs: shortMs }, signal);
    if (!done.ok) return done;
    if (done.value.exitCode !== 0)
      return failure('internal', `The project could not be copied into the sandbox: ${endOf(done.value.stderr)}`);
    isUnversioned ||= done.value.stdout.includes('UNVERSIONED');
  }
  return success(isUnversioned);
}

interface PartWork {
  readonly request: PrepareRequest;
  readonly sandbox: Sandbox;
  readonly state: PartState;
  readonly volume: string;
  /** Without git history and release notes, no version can be found out, but some builds need one. */
  readonly isUnversioned: boolean;
}

async function preparePart(work: PartWork, signal: AbortSignal): Promise<Reply<DependencyRecord>> {
  const { request, sandbox, state, volume } = work;
  const { part, key } = state;
  const started = performance.now();
  const record = {
    version: 1 as const,
    key,
    ecosystem: part.ecosystem,
    ...(part.folder === '' ? {} : { folder: part.folder }),
    tool: part.tool,
    imageId: request.imageId,
    projectPath: request.projectPath,
  };
  for (const command of part.commands) {
    request.onProgress(command);
    const done = await sandbox.runWithNetwork({ ...inCopy(work), command, timeoutMs: commandMs }, signal);
    if (!done.ok) return done;
    if (done.value.outcome === 'cancelled') return failure('cancelled', 'It was cancelled.');
    if (done.value.exitCode === 0) continue;
    const reason = installationFailure(done.value, { limitMs: commandMs, secrets: request.sources.secrets });
    return success({ ...record, at: Date.now(), outcome: { type: 'failed', command, reason } });
  }
  const finished = await finish(work, signal);
  if (!finished.ok) return finished;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return success({ ...record, at: Date.now(), outcome: { type: 'ready', volume, seconds, ...finished.value } });
}

/** The last command and its input. A cache of packages is ready as it is. */
function finishOf(
  ecosystem: Ecosystem,
  { folder, inSession }: { readonly folder: string; readonly inSession: string },
): readonly [command: string, input: string] {
  switch (ecosystem) {
    case 'python':
      return [`${folder}/bin/python - ${shellQuote(projectStart)}`, finishPython];
    case 'javascript': {
      const found = `find ${folder} -mindepth 2 -maxdepth 3 -name package.json | wc -l`;
      const keep = `bash -s -- ${shellQuote(folder)} ${shellQuote(inSession)}`;
      return [`${keep} && echo PACKAGES $(${found})`, finishJavascript];
    }
    default:
      return [`echo PACKAGES $(${packageListing(ecosystem, folder)} 2>/dev/null | wc -l)`, ''];
  }
}

interface Finished {
  readonly sizeBytes: number | null;
  readonly packages: number | null;
  readonly notes: readonly string[];
}

/** The last step: the project's own files replace what was installed from them. */
async function finish(work: PartWork, signal: AbortSignal): Promise<Reply<Finished>> {
  const { part } = work.state;
  const folder = part.place;
  const inSession = ['/workspace', part.folder].filter((name) => name !== '').join('/');
  const [count, script] = finishOf(part.ecosystem, { folder, inSession });
  const size = `echo SIZE $(du -sk ${folder} | cut -f1)`;
  const done = await work.sandbox.exec(
    { ...inCopy(work), command: `${count} && ${size}`, stdin: Buffer.from(script), timeoutMs: shortMs },
    signal,
  );
  if (!done.ok) return done;
  if (done.value.exitCode !== 0)
    return failure('internal', `The packages were installed, but could not be prepared: ${endOf(done.value.stderr)}`);
  const number = (name: string): number | null => {
    const text = new RegExp(`^${name} (\\d+)$`, 'm').exec(done.value.stdout)?.[1];
    return text === undefined ? null : Number(text);
  };
  const size1k = number('SIZE');
  const named = (word: string): readonly string[] => [
    ...new Set([...done.value.stdout.matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].map((match) => match[1] ?? '')),
  ];
  const [left, apart] = [named('LEFT'), named('APART')];
  const notes = [
    ...(left.length === 0
      ? []
      : [`Python sees changes of ${left.slice(0, 5).join(', ')} only after you prepare the project again.`]),
    ...(apart.length === 0
      ? []
      : [
          `Members of the workspace that need another ${apart.slice(0, 5).join(', ')} than the others get that version instead.`,
        ]),
  ];
  return success({ sizeBytes: size1k === null ? null : size1k * 1024, packages: number('PACKAGES'), notes });
}

/** The folder and the environment for the commands of package managers. */
function inCopy({
  request,
  sandbox,
  state,
  isUnversioned,
}: PartWork): Pick<NetworkRequest, 'cwd' | 'env' | 'keepBytes' | 'hosts'> {
  const scratch = sandbox.scratchPath ?? '/scratch';
  const certificates = `${scratch}/ca.pem`;
  return {
    cwd: `${scratch}/project/${state.part.folder}`,
    hosts: request.hosts,
    keepBytes: 64 * 1024,
    env: {
      DEWPOINT_BELOW: state.part.folder,
      TMPDIR: `${scratch}/tmp`,
      XDG_CACHE_HOME: `${scratch}/cache`,
      PIP_CACHE_DIR: `${scratch}/cache/pip`,
      PIP_NO_INPUT: '1',
      PIP_PROGRESS_BAR: 'off',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_CERT: certificates,
      SSL_CERT_FILE: certificates,
      REQUESTS_CA_BUNDLE: certificates,
      CURL_CA_BUNDLE: certificates,
      GIT_SSL_CAINFO: certificates,
      NODE_EXTRA_CA_CERTS: certificates,
      npm_config_cafile: certificates,
      npm_config_userconfig: `${scratch}/npmrc`,
      npm_config_cache: `${scratch}/cache/npm`,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_progress: 'false',
      GOCACHE: `${scratch}/cache/go-build`,
      CARGO_HTTP_CAINFO: certificates,
      UV_CACHE_DIR: `${scratch}/cache/uv`,
      UV_LINK_MODE: 'copy',
      UV_PYTHON_DOWNLOADS: 'never',
      YARN_CACHE_FOLDER: `${scratch}/cache/yarn`,
      YARN_ENABLE_GLOBAL_CACHE: 'false',
      ...(isUnversioned ? { SETUPTOOLS_SCM_PRETEND_VERSION: '0.0.0', PDM_BUILD_SCM_VERSION: '0.0.0' } : {}),
      ...request.sources.env,
    },
  };
}

/** A hash of what the user approves. It changes with any command, host or file. */
export function approvalOf(parts: readonly PartState[], hosts: readonly string[], imageId: string): string {
  const subject = parts.map(({ key, part }) => [key, part.ecosystem, part.commands]);
  return sha256Of(JSON.stringify([imageId, hosts, subject]));
}
