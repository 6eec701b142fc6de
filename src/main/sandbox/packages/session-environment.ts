import { filesLabel, partLabel } from '@shared/projects/project-preparation.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import type { ExtraMount } from '../sandbox.ts';
import { mainPlaces, placeInSession } from './dependency-part.ts';
import { cacheEnvironment } from './other-parts.ts';
import type { PartState } from './find-prepared.ts';

/** What a session gets: volumes to read, variables, and what the user and the model are told. */
export interface SessionEnvironment {
  readonly mounts: readonly ExtraMount[];
  readonly environment: Readonly<Record<string, string>>;
  /** Tells a model which packages it can use. */
  readonly notes: readonly string[];
  /** Tells a model which packages are not there. It matters only where a command lacks one. */
  readonly absent: readonly string[];
  /** Tells the user what is missing and how to get it. */
  readonly warnings: readonly string[];
}

export const emptySessionEnvironment: SessionEnvironment = {
  mounts: [],
  environment: {},
  notes: [],
  absent: [],
  warnings: [],
};

/** `imagePath` is the image's own PATH, to which ours is added. */
export function sessionEnvironmentFrom(
  states: readonly PartState[],
  imagePath: string,
  projectPath: string,
): SessionEnvironment {
  const mounts: ExtraMount[] = [];
  const environment: Record<string, string> = {};
  const paths: string[] = [];
  for (const { part, record } of states) {
    if (record?.outcome.type !== 'ready') continue;
    const folder = placeInSession(part);
    // Read-only, because commands of one session must not affect the next.
    mounts.push({ type: 'volume', source: record.outcome.volume, target: folder, readOnly: true });
    if (folder !== mainPlaces[part.ecosystem]) continue;
    if (part.ecosystem === 'python') paths.push(`${folder}/bin`);
    if (part.ecosystem === 'javascript') paths.push(`${folder}/.bin`);
    Object.assign(environment, cacheEnvironment(part.ecosystem, folder));
    if (part.ecosystem === 'python') environment['VIRTUAL_ENV'] = folder;
  }
  if (paths.length > 0) environment['PATH'] = [...paths, imagePath].join(':');
  const how = `dewpoint projects prepare ${quoted(projectPath)}`;
  return {
    mounts,
    environment,
    notes: states.flatMap(noteOf),
    absent: states.flatMap(absentOf),
    warnings: states.flatMap((state) => warningOf(state, how)),
  };
}

function noteOf({ part, state, record }: PartState): readonly string[] {
  const name = partLabel(part);
  switch (state) {
    case 'ready':
    case 'outdated': {
      const left = record?.outcome.type === 'ready' ? record.outcome.notes : [];
      const age = state === 'outdated' ? ` They are those of before ${filesLabel(part.files)} changed.` : '';
      const place =
        part.ecosystem === 'python' && part.place !== mainPlaces.python
          ? ` Run them with ${part.place}/bin/python.`
          : '';
      const said = `${name} packages of this project are installed (${part.tool}), to be read only.`;
      // The commands themselves are left out: text that one model wrote must not reach the model of another session.
      const count = record?.changed?.commands.length ?? 0;
      const changes =
        count === 0 ? '' : ` They were changed since by ${count} approved command${count === 1 ? '' : 's'}.`;
      return [`${said}${place}${age}${changes}`, ...left];
    }
    case 'failed':
    case 'missing':
      return [];
    default:
      return state satisfies never;
  }
}

function absentOf({ part, state, record }: PartState): readonly string[] {
  const name = partLabel(part);
  if (state === 'failed') {
    const reason = record?.outcome.type === 'failed' ? record.outcome.reason : 'unknown';
    return [`${name} packages of this project could not be installed: ${reason}`];
  }
  if (state !== 'missing' || !part.isNeeded) return [];
  return [
    `The ${name} packages of this project are not installed here. Commands have those of the image, and a network only where "network" names hosts.`,
  ];
}

const shownCommands = 3;

/** The last commands that changed the packages, so that the user knows what they are based on. */
function changesOf(record: PartState['record']): string {
  const commands = record?.changed?.commands ?? [];
  if (commands.length === 0) return '';
  const shown = commands.slice(-shownCommands).map(({ command }) => `"${shortened(command)}"`);
  const more = commands.length > shownCommands ? ` and ${commands.length - shownCommands} before` : '';
  return ` Changed since by ${shown.join(', ')}${more}.`;
}

function shortened(command: string): string {
  const text = command.replaceAll(/\s+/g, ' ').trim();
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

function warningOf({ part, state, record }: PartState, how: string): readonly string[] {
  const name = partLabel(part);
  const changes = changesOf(record);
  const changed = changes === '' ? [] : [`${name} packages:${changes} To install them again: ${how} --anew`];
  switch (state) {
    case 'ready':
      return changed;
    case 'outdated':
      return [
        `${filesLabel(part.files)} changed since the ${name} packages were installed. The old packages are used. Install again: ${how}`,
        ...changed,
      ];
    case 'failed':
      return record?.outcome.type === 'failed'
        ? [`The ${name} packages could not be installed: ${record.outcome.reason} Try again: ${how}`]
        : [];
    case 'missing':
      return part.isNeeded
        ? [`The ${name} packages of this project (${part.tool}) are not installed. Install them with: ${how}`]
        : [];
    default:
      return state satisfies never;
  }
}

function quoted(path: string): string {
  return /^[\w./@%+-]+$/.test(path) ? path : shellQuote(path);
}
