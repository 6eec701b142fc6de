import type { ExtraMount } from '../sandbox.ts';
import { dependencyFolders } from './dependency-part.ts';
import type { PartState } from './find-prepared.ts';

/** What a session is given: volumes to be read, variables, and what a person and a model should know of it. */
export interface Surroundings {
  readonly mounts: readonly ExtraMount[];
  readonly environment: Readonly<Record<string, string>>;
  /** In words for a model: what it can use and what it cannot. */
  readonly notes: readonly string[];
  /** For a person: what is missing and how to get it. */
  readonly warnings: readonly string[];
}

export const noSurroundings: Surroundings = { mounts: [], environment: {}, notes: [], warnings: [] };

/** `imagePath`: the image's own PATH, behind which ours is put. */
export function surroundingsFrom(states: readonly PartState[], imagePath: string, projectPath: string): Surroundings {
  const mounts: ExtraMount[] = [];
  const environment: Record<string, string> = {};
  const paths: string[] = [];
  for (const { part, record } of states) {
    if (record?.outcome.type !== 'ready') continue;
    const folder = dependencyFolders[part.ecosystem];
    // To be read only: what one session's commands do must not reach the next.
    mounts.push({ type: 'volume', source: record.outcome.volume, target: folder, readOnly: true });
    paths.push(part.ecosystem === 'python' ? `${folder}/bin` : `${folder}/.bin`);
    if (part.ecosystem === 'python') environment['VIRTUAL_ENV'] = folder;
  }
  if (paths.length > 0) environment['PATH'] = [...paths, imagePath].join(':');
  const how = `dewpoint projects prepare ${quoted(projectPath)}`;
  return {
    mounts,
    environment,
    notes: states.flatMap(noteOf),
    warnings: states.flatMap((state) => warningOf(state, how)),
  };
}

const nameOf = { python: 'Python', javascript: 'JavaScript' } as const;

function noteOf({ part, state, record }: PartState): readonly string[] {
  const name = nameOf[part.ecosystem];
  switch (state) {
    case 'ready':
    case 'outdated': {
      const left = record?.outcome.type === 'ready' ? record.outcome.notes : [];
      const age = state === 'outdated' ? ` They are those of before ${part.files.join(', ')} changed.` : '';
      return [`${name} packages of this project are installed (${part.tool}), to be read only.${age}`, ...left];
    }
    case 'failed':
      return [
        `${name} packages of this project could not be installed: ${record?.outcome.type === 'failed' ? record.outcome.reason : 'unknown'}`,
      ];
    case 'missing':
      return part.isNeeded
        ? [`${name} packages of this project are not installed, and commands have no network to install them.`]
        : [];
    default:
      return state satisfies never;
  }
}

function warningOf({ part, state, record }: PartState, how: string): readonly string[] {
  const name = nameOf[part.ecosystem];
  switch (state) {
    case 'ready':
      return [];
    case 'outdated':
      return [
        `${part.files.join(', ')} changed since the ${name} packages were installed; those of before are used. Anew: ${how}`,
      ];
    case 'failed':
      return record?.outcome.type === 'failed'
        ? [`The ${name} packages could not be installed: ${record.outcome.reason} Once more: ${how}`]
        : [];
    case 'missing':
      return part.isNeeded
        ? [`The ${name} packages of this project (${part.tool}) are not installed. To install them: ${how}`]
        : [];
    default:
      return state satisfies never;
  }
}

function quoted(path: string): string {
  return /^[\w./@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
