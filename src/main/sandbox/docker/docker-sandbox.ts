import { success, type Reply } from '@shared/errors.ts';
import { orNoted } from '../../lib/log.ts';
import { skippedText } from '../files/skipped-folders.ts';
import type {
  AskAboutDisk,
  ExecRequest,
  ExecResult,
  NetworkRequest,
  NetworkResult,
  OpenProcess,
  OpenRequest,
  Sandbox,
  SandboxDescription,
  SandboxLook,
  BackgroundProcessState,
} from '../sandbox.ts';
import { workspaceInContainer } from './container/container-create-body.ts';
import { ContainerBackgroundProcesses } from './exec/container-background-processes.ts';
import { ContainerFiles } from './files/container-files.ts';
import { SessionFiles } from './files/session-files.ts';
import type { UserIds } from './user/container-identity.ts';
import { execCommand, programOf, refuseCommand } from './exec/exec-command.ts';
import { ContainerRuns } from './exec/run-in-container.ts';
import type { SessionEnvironment } from '../packages/session-environment.ts';
import { dropSuperseded, runOnPackages, type SessionPackages } from './packages/package-changes.ts';
import { openWithNetwork } from './exec/open-with-network.ts';
import { runWithNetwork } from './exec/run-with-network.ts';
import { untrackedText } from '@shared/session/reducers/reduce-sandbox.ts';
import type { OutboundConnections } from '../network/outbound-connections.ts';
import type { SessionContainer } from './container/session-container.ts';
import type { ProjectLinks } from './protection/project-links.ts';
import { readUsage } from './container/container-usage.ts';

export interface ChangingEnvironment {
  readonly find: (signal: AbortSignal) => Promise<SessionEnvironment>;
  /** Null: commands cannot change packages. */
  readonly packages: SessionPackages | null;
}

export interface DockerSandboxOptions {
  readonly session: SessionContainer;
  readonly outward: OutboundConnections;
  readonly imageName: string;
  readonly description: string;
  readonly limits: SandboxDescription['limits'];
  /** The environment at the session's start. */
  readonly sessionEnvironment: SessionEnvironment;
  readonly changing: ChangingEnvironment | null;
  readonly warnings: readonly string[];
  readonly onService?: (state: BackgroundProcessState) => void;
  readonly onDiskLow: AskAboutDisk | null;
  readonly links: ProjectLinks;
}

/** A session's container as a `Sandbox`. Commands and file operations are processes in it. */
export class DockerSandbox implements Sandbox {
  readonly tier = 'container';
  readonly workspacePath = workspaceInContainer;
  readonly scratchPath: string | null;
  readonly #options: DockerSandboxOptions;
  readonly #runs: ContainerRuns;
  readonly #open = new Set<OpenProcess>();
  readonly #beside = new Set<OpenProcess>();
  #sessionEnvironment: SessionEnvironment;
  readonly backgroundProcesses: ContainerBackgroundProcesses;
  readonly links: ProjectLinks;
  readonly files: SessionFiles;

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    this.#sessionEnvironment = options.sessionEnvironment;
    this.scratchPath = options.session.scratchPath;
    this.links = options.links;
    this.#runs = new ContainerRuns(options.session);
    this.files = new SessionFiles(new ContainerFiles(this.#runs), options.session);
    this.backgroundProcesses = new ContainerBackgroundProcesses(
      options.session,
      options.onService ?? (() => undefined),
    );
  }

  get description(): SandboxDescription {
    const { imageName, description, limits, warnings, session } = this.#options;
    const { notes, absent, warnings: told } = this.#sessionEnvironment;
    const linked = this.links.warning();
    return {
      tier: 'container',
      image: imageName,
      text: `${description} ${userText(session.user)} ${skippedText}`,
      limits,
      notes,
      absent,
      warnings: [
        ...warnings,
        ...told,
        ...session.warnings,
        ...session.guard.left.map(untrackedText),
        ...(linked === null ? [] : [linked]),
      ],
    };
  }

  exec(request: ExecRequest, signal: AbortSignal): Promise<Reply<ExecResult>> {
    const { session, onDiskLow } = this.#options;
    return execCommand({ session, runs: this.#runs, onDiskLow }, request, signal);
  }

  async runWithNetwork(request: NetworkRequest, signal: AbortSignal): Promise<Reply<NetworkResult>> {
    const { session, outward, changing, onDiskLow } = this.#options;
    const place = { session, outward, onDiskLow };
    const packages = changing?.packages ?? null;
    if (packages === null || request.keepsPackages === undefined) return runWithNetwork(place, request, signal);
    const { ran, isChanged } = await runOnPackages(place, packages, { request, signal });
    if (isChanged && changing !== null) {
      this.#sessionEnvironment = await changing.find(signal);
      await this.backgroundProcesses.stopAll();
      const { mounts: extra, environment } = this.#sessionEnvironment;
      // If the container cannot be made, the next command reports it. The result of this one stays valid.
      await session.renew({ extra, environment }, signal);
      await dropSuperseded(packages, signal);
    }
    return ran;
  }

  async open(request: OpenRequest, signal: AbortSignal): Promise<Reply<OpenProcess>> {
    const { hosts = [] } = request;
    if (hosts.length > 0) {
      const opened = await openWithNetwork(this.#options, { ...request, hosts }, signal);
      if (opened.ok) this.#keep(opened.value);
      return opened;
    }
    const refused = refuseCommand(request);
    if (refused !== null) return refused;
    const started = await this.#runs.start(
      {
        program: programOf(request),
        ...(request.env === undefined ? {} : { env: request.env }),
        onChunk: request.onOutput,
        keepInputOpen: true,
      },
      signal,
    );
    if (!started.ok) return started;
    const { running } = started.value;
    const { guard } = this.#options.session;
    const stopLooking = guard.whileRunning();
    const process: OpenProcess = {
      write: (bytes) => running.write(bytes),
      ended: running.ended.then(async (end) => {
        this.#open.delete(process);
        stopLooking();
        await guard.look();
        return { exitCode: end.type === 'exited' ? end.exitCode : null };
      }),
      close: async () => {
        if (this.#open.has(process)) await this.#runs.stop(started.value, 500);
        await running.ended;
      },
    };
    this.#open.add(process);
    return success(process);
  }

  async look(signal: AbortSignal): Promise<SandboxLook> {
    const { session } = this.#options;
    const container = session.running;
    const usage = container === null ? null : await readUsage(container, signal);
    return {
      isRunning: container !== null,
      masked: session.masks.map(({ path }) => path),
      pinned: session.pins,
      usage,
    };
  }

  /** Its container runs already. */
  async prepare(): Promise<void> {}

  async settle(signal: AbortSignal): Promise<void> {
    const { guard } = this.#options.session;
    await guard.settle(signal).catch(orNoted('The sandbox did not come to rest after a turn', undefined));
  }

  async dispose(): Promise<void> {
    // Processes in their own containers end with this sandbox.
    await Promise.all([...this.#beside].map((process) => process.close()));
    await this.backgroundProcesses.dispose();
    await this.#options.session.dispose();
    await this.#options.session.guard.dispose();
  }

  #keep(process: OpenProcess): void {
    this.#beside.add(process);
    void process.ended.then(() => this.#beside.delete(process));
  }
}

function userText(user: UserIds | null): string {
  if (user === null) return '';
  return `Commands run as ${user.uid}:${user.gid}${user.uid === 0 ? ', root without any capability' : ''}.`;
}
