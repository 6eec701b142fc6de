import { noteFailure } from '../../lib/log.ts';
import type { Sandbox, SandboxFiles } from '../../sandbox/sandbox.ts';
import type { ProjectPart } from '../../tools/define.ts';
import type { ProjectFacts } from './project-facts.ts';

/** Whether a project has one of the parts. It starts no server and waits for no index. */
export type FindPart = (
  project: {
    readonly sandbox: Sandbox;
    readonly facts: ProjectFacts;
    /** Its files: those that were listed for the facts, else they are listed once for all parts, when the first asks. */
    readonly paths: () => Promise<readonly string[]>;
  },
  signal: AbortSignal,
) => Promise<boolean>;

/** The parts that a project has. Called once per turn, as an effect. */
export type FindParts = (
  project: { readonly sandbox: Sandbox; readonly facts: ProjectFacts; readonly paths?: readonly string[] | undefined },
  signal: AbortSignal,
) => Promise<readonly ProjectPart[]>;

/** A part without a finder, or whose finder fails, is not there: its tools are not offered. Throws if cancelled. */
export function createFindParts(finders: readonly (readonly [ProjectPart, FindPart])[]): FindParts {
  return async ({ sandbox, facts, paths }, signal) => {
    let listed: Promise<readonly string[]> | null = paths === undefined ? null : Promise.resolve(paths);
    const project = { sandbox, facts, paths: () => (listed ??= pathsIn(sandbox.files, signal)) };
    const found = await Promise.all(
      finders.map(async ([part, find]) => {
        try {
          return (await find(project, signal)) ? [part] : [];
        } catch (error) {
          signal.throwIfAborted();
          noteFailure(`Whether the project has "${part}" was not found out`, error);
          return [];
        }
      }),
    );
    return found.flat();
  };
}

const mostListed = 20_000;

async function pathsIn(files: Pick<SandboxFiles, 'list'>, signal: AbortSignal): Promise<readonly string[]> {
  const listing = await files.list('.', { depth: 12, limit: mostListed }, signal);
  if (!listing.ok) return [];
  return listing.value.entries.flatMap(({ path, kind }) => (kind === 'file' ? [path] : []));
}
