import {
  mostWholeTokens,
  type AddedSource,
  type Knowledge,
  type KnowledgeProgress,
  type KnowledgeSource,
} from '@shared/documents/knowledge.ts';
import { AppError, type Reply } from '@shared/errors.ts';
import { isDiskFull, writeProblem } from '../../lib/files/json-file.ts';
import { noteFailure } from '../../lib/log.ts';
import type { KnowledgeFiles } from './knowledge-files.ts';
import { readSource, type SourceReaders } from './read-source.ts';

export interface ProjectKnowledgeOptions extends SourceReaders {
  readonly files: KnowledgeFiles;
  /** The name of the knowledge in answers and rules of a project. */
  readonly nameIn: (projectPath: string) => Promise<string>;
  /** That name, and all others that it may have had. */
  readonly namesIn: (projectPath: string) => Promise<readonly string[]>;
  /** Reads the knowledge of a project into the index of documents. Returns how many documents are left. */
  readonly readIntoIndex: (projectPath: string, signal: AbortSignal) => Promise<number>;
  /** Removes what the index has of these paths. */
  readonly forgetPaths: (paths: readonly string[], signal: AbortSignal) => Promise<void>;
}

/** The knowledge of projects, as the person adds to it and takes from it. */
export interface ProjectKnowledge {
  readonly show: (projectPath: string) => Promise<Knowledge>;
  /** Adds one source after the other. One that cannot be added stops no other, except on a full disk. */
  readonly add: (
    projectPath: string,
    sources: readonly KnowledgeSource[],
    how: { readonly tell: (progress: KnowledgeProgress) => void; readonly signal: AbortSignal },
  ) => Promise<Knowledge>;
  /** Removes copies, with their text in the index and their vectors. */
  readonly remove: (projectPath: string, names: readonly string[], signal: AbortSignal) => Promise<Knowledge>;
  /** Rejects with `too-large` for a file that is too long to be given whole. */
  readonly setWhole: (projectPath: string, name: string, isWhole: boolean) => Promise<Knowledge>;
}

/** The knowledge that a session gives its models whole. Used in effects only. */
export interface SessionKnowledge {
  readonly isThere: () => Promise<boolean>;
  /** Whether there is more to search than these documents. */
  readonly hasMore: (whole: readonly string[]) => Promise<boolean>;
  /** `mark` changes with the content. */
  readonly whole: () => Promise<readonly WholeKnowledge[]>;
  readonly text: (path: string, signal: AbortSignal) => Promise<Reply<string>>;
}

export interface WholeKnowledge {
  /** As answers and rules name it. */
  readonly path: string;
  readonly mark: string;
  readonly tokens: number;
}

export function createProjectKnowledge(options: ProjectKnowledgeOptions): ProjectKnowledge {
  const { files, nameIn, namesIn } = options;
  const show = async (projectPath: string): Promise<Knowledge> => ({
    name: await nameIn(projectPath),
    folder: await files.folderOf(projectPath),
    files: await files.list(projectPath),
  });
  /** Finishes removals, also such that were cut off. */
  const finish = async (projectPath: string, signal: AbortSignal): Promise<void> => {
    const names = await files.leaving(projectPath);
    if (names.length === 0) return;
    const tops = await namesIn(projectPath);
    await options.forgetPaths(
      names.flatMap((name) => tops.map((top) => `${top}/${name}`)),
      signal,
    );
    await files.left(projectPath, names);
  };
  return {
    show,
    add: async (projectPath, sources, { tell, signal }) => {
      await finish(projectPath, signal).catch((error: unknown) =>
        noteFailure('The index still has removed knowledge', error),
      );
      let full: string | null = null;
      for (const [index, source] of sources.entries()) {
        signal.throwIfAborted();
        const tried: Tried =
          full === null
            ? await addOne(options, { projectPath, source }, signal)
            : { added: refusal(source, full), isDiskFull: true };
        if (tried.isDiskFull) full = tried.added.note;
        tell({ type: 'source', added: tried.added, done: index + 1, of: sources.length });
      }
      for (let before = Infinity; ;) {
        const left = await options.readIntoIndex(projectPath, signal);
        tell({ type: 'index', left });
        // What is read late is read by the next search.
        if (left === 0 || left >= before) break;
        before = left;
      }
      return show(projectPath);
    },
    remove: async (projectPath, names, signal) => {
      for (const name of names) await files.remove(projectPath, name);
      await finish(projectPath, signal).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new AppError('internal', 'The copies are removed, but their text is still in the index.', {
          hint: 'The next change of the knowledge removes it, too.',
          cause,
        });
      });
      return show(projectPath);
    },
    setWhole: async (projectPath, name, isWhole) => {
      const tokens = (await files.list(projectPath)).find((one) => one.name === name)?.tokens ?? 0;
      if (isWhole && tokens > mostWholeTokens)
        throw new AppError('too-large', `${name} has about ${tokens} tokens, so it is searched and not given whole.`, {
          hint: `Whole files have at most ${mostWholeTokens} tokens.`,
        });
      await files.setWhole(projectPath, name, isWhole);
      return show(projectPath);
    },
  };
}

interface Tried {
  readonly added: AddedSource;
  readonly isDiskFull: boolean;
}

const refusal = (source: KnowledgeSource, note: string): AddedSource => ({
  source,
  name: null,
  outcome: 'refused',
  note,
});

const saidOf = ({ message, hint = '' }: { readonly message: string; readonly hint?: string | undefined }): string =>
  `${message} ${hint}`.trim();

async function addOne(
  options: ProjectKnowledgeOptions,
  { projectPath, source }: { readonly projectPath: string; readonly source: KnowledgeSource },
  signal: AbortSignal,
): Promise<Tried> {
  const refused = (note: string, isFull = false): Tried => ({ added: refusal(source, note), isDiskFull: isFull });
  const found = await readSource(options, { projectPath, source }, signal);
  if (!found.ok) return refused(saidOf(found.error));
  const wanted = found.value.name;
  try {
    const { name, outcome } = await options.files.keep(projectPath, found.value);
    return { added: { source, name, outcome, note: noteOf({ wanted, name, outcome }) }, isDiskFull: false };
  } catch (error) {
    if (isDiskFull(error))
      return refused(`${wanted} was not added: the disk is full. What was added before is kept.`, true);
    return refused(error instanceof AppError ? saidOf(error) : `${wanted} was not added: ${writeProblem(error)}.`);
  }
}

function noteOf({
  wanted,
  name,
  outcome,
}: {
  readonly wanted: string;
  readonly name: string;
  readonly outcome: AddedSource['outcome'];
}): string | null {
  switch (outcome) {
    case 'same':
      return name === wanted ? `${name} is there already.` : `${wanted} is there already, as ${name}.`;
    case 'replaced':
      return `${name} replaces the copy that was there.`;
    default:
      return name === wanted ? null : `Another ${wanted} is there, so this one is named ${name}.`;
  }
}
