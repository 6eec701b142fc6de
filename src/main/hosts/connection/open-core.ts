import { createRouterClient } from '@orpc/server';
import { findDataFolders } from '../../lib/files/data-folders.ts';
import { claimHome } from '../../server/owner/claim-home.ts';
import { createRouter } from '../../server/router.ts';
import type { CoreRouter } from '../../server/serve-channel.ts';
import type { CoreClient, SocketServer } from '../../server/local-socket.ts';
import { connectSocket, serveSocket } from '../../server/local-socket.ts';
import type { Core } from '../../compose.ts';
import { compose } from '../../compose.ts';
import type { HomeClaim } from '../../server/owner/claim-home.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { logFolderOf } from '../../lib/files/log-file.ts';
import { endLeanStart } from '../../lib/programs/lean-start.ts';
import { diagnostics, keepDiagnostics, orNoted } from '../../lib/log.ts';
import { knownSecrets } from '../../safety/keys/known-secrets.ts';
import { createRedactor } from '../../sessions/log/redactor.ts';
import { neverAborts, sleep } from '../../lib/async/abort.ts';
import type { Terminal } from '../text/terminal.ts';

/** A core to talk to, wherever it runs. */
export interface OpenCore {
  readonly client: CoreClient;
  /** Only in the process that owns the home. */
  readonly router: CoreRouter | null;
  /** Resolves when the owner of the home has ended. Never resolves if this process is the owner. */
  readonly closed: Promise<void>;
  /** The version of the owner, if it is another build than this one. */
  readonly otherBuild: string | null;
  /**
   * If this process is the owner: waits until the other processes have what they asked for, then ends everything that
   * was started. With `now`, turns that only this process can have asked for are cancelled instead.
   */
  close(options?: { readonly now: boolean }): Promise<void>;
}

const connectTimeoutMs = 2_000;
/** A starting owner has the home before it listens, and an ending one waits for its containers: both get this time. */
const ownerMs = 30_000;
const sayAfterMs = 3_000;
/** A client without a request for this long is a conversation that waits for its user, so nobody waits for it. */
const quietMs = 2_000;
const lookMs = 50;
/** By then, everything that a start needs is loaded. */
const leanForMs = 5_000;

/**
 * Opens the core of the home: as its owner, or as a client of the owner. If the owner ends between the check and the
 * connection, this process replaces it. A core of another build is used all the same, because a home has only one core;
 * the user is told. `name`: what this process is, for the log.
 */
export async function openCore(terminal: Pick<Terminal, 'err'>, version: string, name: string): Promise<OpenCore> {
  const places = findDataFolders(process.env, process.platform);
  const begun = performance.now();
  let isWarned = false;
  for (let isSaid = false; ;) {
    const claim = await claimHome(places.home);
    openDiagnostics(places.home, version, name);
    // Only once: a warning that remains would be repeated with every attempt.
    if (claim.warning !== null && !isWarned) terminal.err(`${claim.warning}\n`);
    isWarned = true;
    if (claim.type === 'owner') return becomeOwner(claim, { ...places, version }, terminal);
    try {
      const connection = await connectSocket(claim.socketPath, connectTimeoutMs);
      const { client, closed } = connection;
      const otherBuild = await otherBuildOf(client, version);
      if (otherBuild !== null) terminal.err(otherBuildNotice(otherBuild, version, claim.pid));
      return { client, router: null, closed, otherBuild, close: async () => connection.close() };
    } catch (error) {
      const waitedMs = performance.now() - begun;
      if (waitedMs > ownerMs) throw error;
      if (waitedMs > sayAfterMs && !isSaid) {
        terminal.err(`waiting for the Dewpoint process ${claim.pid}, which is starting or ending …\n`);
        isSaid = true;
      }
      await sleep(150, neverAborts);
    }
  }
}

async function otherBuildOf(client: CoreClient, version: string): Promise<string | null> {
  const { version: theirs } = await client.home.info();
  return theirs === version ? null : theirs;
}

function otherBuildNotice(theirs: string, ours: string, pid: number): string {
  return (
    `Another build of Dewpoint owns this home and does the work: ${theirs}, process ${pid}. ` +
    `This build is ${ours}. To use it, end that process and start again.\n`
  );
}

async function becomeOwner(
  claim: Extract<HomeClaim, { type: 'owner' }>,
  places: { readonly home: string; readonly cache: string; readonly version: string },
  terminal: Pick<Terminal, 'err'>,
): Promise<OpenCore> {
  try {
    const core = await compose({ ...places, onNotice: (text) => terminal.err(`${text}\n`) });
    const router = createRouter(core.handlers);
    const server = await serveSocket(router, claim.socketPath);
    setTimeout(() => {
      if (core.runningTurns() === 0)
        void endLeanStart(places.cache, places.version).catch(orNoted('Old compiled code stays', undefined));
    }, leanForMs).unref();
    const close: OpenCore['close'] = async (options): Promise<void> => {
      // Another process may be in the middle of a turn in this core, which must not be cut off.
      const mayBeTheirs = options?.now !== true || server.clients() > 0;
      if (mayBeTheirs) await waitForOthers(core, server, terminal);
      await server.close();
      await core.dispose();
      await claim.release();
    };
    const closed = new Promise<void>(() => undefined);
    return { client: createRouterClient(router), router, closed, otherBuild: null, close };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** Nothing runs between two calls of a client, so only a client that is quiet for a while is done. */
async function waitForOthers(core: Core, server: SocketServer, terminal: Pick<Terminal, 'err'>): Promise<void> {
  if (core.runningTurns() > 0) {
    terminal.err('Done here. Another Dewpoint process works through this one, so this ends when that is done.\n');
    await core.idle();
  }
  let quiet = 0;
  for (let seen = server.traffic(); server.clients() > 0 && quiet < quietMs; quiet += lookMs) {
    await sleep(lookMs, neverAborts);
    if (core.runningTurns() > 0 || server.traffic() !== seen) quiet = 0;
    seen = server.traffic();
  }
}

let opened: string | null = null;

/**
 * Opens the log of this process in a home that exists. Until a core knows the settings, secrets are found by their form and in the
 * usual variables.
 */
function openDiagnostics(home: string, version: string, name: string): void {
  if (opened === home) return;
  const redactor = createRedactor(knownSecrets(settingsSchema.parse({}), process.env));
  keepDiagnostics(logFolderOf(home), name, (text) => redactor.text(text));
  const { platform, arch, versions } = process;
  diagnostics.info(`Dewpoint ${version} on ${platform} ${arch}, Node ${versions.node}`);
  if (opened === null) noteBugs();
  opened = home;
}

function noteBugs(): void {
  // Only looks: the process ends, or asks, as it would without this.
  process.on('uncaughtExceptionMonitor', (error) => diagnostics.error('a bug that nothing caught', error));
  process.on('warning', (warning) => diagnostics.warn('a warning of Node', warning));
}
