import { messageOf } from '@shared/errors.ts';
import type { HiddenFiles } from '../../workspace/find-hidden-files.ts';
import { statsBelow } from '../../workspace/file-identity.ts';
import { lookAgain } from '../../workspace/look-again.ts';
import type { Mask } from '../../workspace/workspace-scan.ts';

const clockStepMs = 20;

/** Times are by the clock of files. */
interface Run {
  readonly fromMs: number;
  toMs: number;
}

/**
 * Notices files with secrets that are new, or were changed, while nothing ran in a container: the person put them there.
 * What a command makes stays readable in its container, because commands need their own files.
 */
export class FreshSecrets {
  readonly #workspacePath: string;
  readonly #look: () => Promise<HiddenFiles>;
  readonly #warn: (text: string) => void;
  #again: ((masks: readonly Mask[]) => Promise<string | null>) | null = null;
  /** Since the last look. */
  #runs: readonly Run[] = [];
  #lookedAtMs = 0;

  /** `warn` tells the user that a look was not possible. */
  constructor(workspacePath: string, look: () => Promise<HiddenFiles>, warn: (text: string) => void) {
    this.#workspacePath = workspacePath;
    this.#look = look;
    this.#warn = warn;
  }

  /** What a new container has to hide. */
  async begin(): Promise<HiddenFiles> {
    this.#lookedAtMs = Date.now();
    const hidden = await this.#look();
    let masks: readonly Mask[] = hidden.masks;
    const again = lookAgain<string | null>(null, () => this.#find(masks));
    this.#again = (now) => {
      masks = now;
      return again();
    };
    return hidden;
  }

  /** Something runs. Call the returned function at its end. */
  running(): () => void {
    const run: Run = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.#runs = [...this.#runs, run];
    return () => {
      if (run.toMs === Number.POSITIVE_INFINITY) run.toMs = Date.now();
    };
  }

  /** The first such path that is not among the masks. Looks only now and then. Never rejects. */
  find(masks: readonly Mask[]): Promise<string | null> {
    return this.#again?.(masks) ?? Promise.resolve(null);
  }

  async #find(masks: readonly Mask[]): Promise<string | null> {
    const [since, runs] = [this.#lookedAtMs, this.#runs];
    this.#lookedAtMs = Date.now();
    this.#runs = runs.filter(({ toMs }) => toMs > this.#lookedAtMs);
    const known = new Set(masks.map(({ path }) => path));
    for (const { path } of await this.#found()) {
      const names = path.split('/');
      if (names.some((_, at) => known.has(names.slice(0, at + 1).join('/')))) continue;
      const stats = await statsBelow(this.#workspacePath, path, 'waiting');
      const changedMs = Number(stats?.ctimeMs ?? 0);
      // The clock of files goes in steps, so a file may seem a little older than it is.
      const isOfCommand = runs.some(({ fromMs, toMs }) => changedMs >= fromMs - clockStepMs && changedMs <= toMs);
      if (changedMs > since - clockStepMs && !isOfCommand) return path;
    }
    return null;
  }

  /** Commands may have made a project that cannot be looked through. Then they still have to be able to tidy up. */
  async #found(): Promise<readonly Mask[]> {
    try {
      return (await this.#look()).masks;
    } catch (error) {
      this.#warn(`New files with secrets are not noticed now, so add none: ${messageOf(error)}`);
      return [];
    }
  }
}
