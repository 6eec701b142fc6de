import { failure, success, type Reply } from '@shared/errors.ts';
import { keepTail, type KeptTail } from '../../kept-output.ts';
import type {
  BackgroundProcesses,
  BackgroundProcessOutput,
  BackgroundProcessRequest,
  BackgroundProcessState,
} from '../../sandbox.ts';
import type { ProcessEnd } from './container-process.ts';
import { programOf, refuseCommand } from './exec-command.ts';
import { ContainerRuns, type StartedProcess } from './run-in-container.ts';
import type { LiveContainer } from '../container/session-container-options.ts';
import type { SessionContainer } from '../container/session-container.ts';

/** The most running services. Each may use as much as a session's container. */
const mostRunning = 4;
const mostEnded = 8;
const keptBytes = 32 * 1024;
/** The time between asking a service to end and killing it. */
const graceMs = 2_000;

interface Service {
  readonly beside: SessionContainer;
  readonly runs: ContainerRuns;
  readonly started: StartedProcess;
  readonly output: KeptTail;
  state: Omit<BackgroundProcessState, 'outputBytes'>;
  /** Resolves when the service has ended and its container is gone. */
  over: Promise<void>;
}

/** The services of one session, each in its own container on the network of the session's container. */
export class ContainerBackgroundProcesses implements BackgroundProcesses {
  readonly #session: SessionContainer;
  readonly #all = new Map<string, Service>();
  #count = 0;
  #starting = 0;
  /** Aborted at the end, so that nothing more is started. */
  readonly #closing = new AbortController();

  readonly #onChange: (state: BackgroundProcessState) => void;

  /** `onChange` is called for every start and every end. It must not throw. */
  constructor(session: SessionContainer, onChange: (state: BackgroundProcessState) => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  async start(request: BackgroundProcessRequest, signal: AbortSignal): Promise<Reply<BackgroundProcessState>> {
    const refused = refuseCommand(request);
    if (refused !== null) return refused;
    if (this.#running().length + this.#starting >= mostRunning) {
      return failure('too-large', `${mostRunning} services run already, and no more may.`, 'Stop one of them first.');
    }
    this.#starting += 1;
    try {
      return await this.#start(request, signal);
    } finally {
      this.#starting -= 1;
    }
  }

  async #start(request: BackgroundProcessRequest, signal: AbortSignal): Promise<Reply<BackgroundProcessState>> {
    const live = await this.#session.acquire(signal);
    if (!live.ok) return live;
    const made = await this.#session.startBeside({ network: live.value }, signal);
    if (!made.ok) return made;
    const beside = made.value;
    const runs = new ContainerRuns(beside);
    const output = keepTail(keptBytes);
    const program = {
      program: programOf(request),
      ...(request.env === undefined ? {} : { env: request.env }),
      onChunk: ({ bytes }: { readonly bytes: Uint8Array }) => output.push(bytes),
    };
    const started = await runs.start(program, signal);
    if (!started.ok || this.#closing.signal.aborted) {
      await beside.dispose();
      return started.ok ? failure('sandbox-lost', 'The sandbox was closed.') : started;
    }
    this.#count += 1;
    const id = `s${this.#count}`;
    const { command } = request;
    const service: Service = {
      beside,
      runs,
      started: started.value,
      output,
      state: { id, command, status: 'running', exitCode: null },
      over: Promise.resolve(),
    };
    this.#all.set(id, service);
    this.#onChange(stateOf(service));
    service.over = this.#follow(service, live.value);
    return success(stateOf(service));
  }

  list(): readonly BackgroundProcessState[] {
    return [...this.#all.values()].map(stateOf);
  }

  async read(id: string): Promise<BackgroundProcessOutput | null> {
    const service = this.#all.get(id);
    if (service === undefined) return null;
    // Taken first: what is printed after the check was not checked.
    const printed = service.output.text();
    const shown = await service.beside.mayHaveShown(service.started.live);
    return { state: stateOf(service), text: shown === null ? printed : leftOutText(shown) };
  }

  async stop(id: string): Promise<BackgroundProcessState | null> {
    const service = this.#all.get(id);
    if (service === undefined) return null;
    if (service.state.status === 'running') {
      service.state = { ...service.state, status: 'stopped' };
      await service.runs.stop(service.started, graceMs);
    }
    await service.over;
    return stateOf(service);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#running().map(({ state }) => this.stop(state.id)));
  }

  /** Kills all services at the end of the sandbox, without waiting for them to end. Never rejects. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    const left = [...this.#all.values()];
    await Promise.all(
      left.map(async (service) => {
        if (service.state.status === 'running') service.state = { ...service.state, status: 'stopped' };
        await service.beside.dispose();
        await service.over;
      }),
    );
  }

  /** Waits for the end of a service or of the container whose network it uses. */
  async #follow(service: Service, network: LiveContainer): Promise<void> {
    const { running } = service.started;
    const onGone = (): void => {
      if (service.state.status === 'running') service.state = { ...service.state, status: 'lost' };
      void service.beside.dispose();
    };
    network.gone.signal.addEventListener('abort', onGone, { once: true });
    if (network.gone.signal.aborted) onGone();
    const { guard } = this.#session;
    const stopLooking = guard.whileRunning();
    const end = await running.ended;
    stopLooking();
    await guard.look();
    network.gone.signal.removeEventListener('abort', onGone);
    service.state = ended(service.state, end);
    await service.beside.dispose();
    this.#forgetOld();
    this.#onChange(stateOf(service));
  }

  #running(): readonly Service[] {
    return [...this.#all.values()].filter(({ state }) => state.status === 'running');
  }

  #forgetOld(): void {
    const over = [...this.#all.values()].filter(({ state }) => state.status !== 'running');
    for (const { state } of over.slice(0, Math.max(0, over.length - mostEnded))) this.#all.delete(state.id);
  }
}

function leftOutText(path: string): string {
  return `[dewpoint: its output is left out, because ${path} was moved or replaced while it ran, and must stay hidden]\n`;
}

function ended(state: Service['state'], end: ProcessEnd): Service['state'] {
  if (state.status !== 'running') return state;
  if (end.type === 'exited') return { ...state, status: 'exited', exitCode: end.exitCode };
  return { ...state, status: end.type === 'lost' ? 'lost' : 'exited' };
}

function stateOf({ state, output }: Service): BackgroundProcessState {
  return { ...state, outputBytes: output.totalBytes };
}
