import { resolve } from 'node:path';
import type { Knowledge, KnowledgeFile, KnowledgeSource } from '@shared/documents/knowledge.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { partsText } from '@shared/documents/document-text.ts';
import { seenLineText, seenName } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { asWord } from '../../program/run-flags.ts';
import type { Command } from '../../../text/command-context.ts';
import { keyOfWord } from './named-project.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine, pluralize } from '../../../text/terminal.ts';

export type KnowledgeAction = 'list' | 'add' | 'remove';

export interface KnowledgeArguments {
  /** Whether the whole text goes to models that have room. Absent: as it is, and searched if it is new. */
  readonly whole?: boolean;
  /** The project, where it is not the first word. */
  readonly project?: string;
  readonly json?: boolean;
}

interface KnowledgeWish {
  readonly action: KnowledgeAction;
  readonly folder: string;
  /** What is added, or the names of what is removed. */
  readonly words: readonly string[];
  readonly args: KnowledgeArguments;
}

/** What is always at hand in a project: lists it, adds files and pages, or removes some. */
export const knowledge: Command<[KnowledgeWish]> = async (context, { action, folder, words, args }) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const projectPath = await keyOfWord(context.core, folder);
  if (action === 'remove') {
    await core.knowledge.remove({ projectPath, names: [...words] }, { signal });
    const what = words.length === 1 ? seenName(words[0] ?? '') : `${words.length} files`;
    terminal.err(
      `${what} ${words.length === 1 ? 'is' : 'are'} removed: the copy, its text in the index and its vectors.\n`,
    );
    return 0;
  }
  const { isThere } = await core.projects.settings({ projectPath }, { signal });
  const found = await core.knowledge.list({ projectPath }, { signal });
  // What a project has is listed, also where its folder is gone.
  if (!isThere && !hasNoFolder(projectPath) && (action === 'add' || found.files.length === 0))
    throw usageError(
      `The project folder ${projectPath} was not found. Nothing was changed.`,
      'Name the project before its files, such as `dewpoint projects knowledge add . handbook.pdf`.',
    );
  if (action === 'add') return add(context, { projectPath, words, args });
  if (args.json === true) terminal.out(jsonLine(found));
  else if (found.files.length === 0)
    terminal.err(
      `No knowledge. Add a file or a page: dewpoint projects knowledge add ${seenName(asWord(folder))} FILE\n`,
    );
  else {
    terminal.out(found.files.map((file) => shown(found, file)).join(''));
    terminal.err(`${sumOf(found)}\n`);
  }
  return 0;
};

interface Asked {
  readonly projectPath: string;
  readonly words: readonly string[];
  readonly args: KnowledgeArguments;
}

const add = async (
  { core: open, terminal, signal }: Parameters<typeof knowledge>[0],
  { projectPath, words, args }: Asked,
): Promise<number> => {
  const core = await open();
  const sources = words.map(sourceOf);
  let refused = 0;
  let found: Knowledge | null = null;
  const names: string[] = [];
  for await (const progress of await core.knowledge.add({ projectPath, sources }, { signal })) {
    switch (progress.type) {
      case 'source': {
        const { name, note, outcome } = progress.added;
        if (outcome === 'refused') refused += 1;
        if (name !== null) names.push(name);
        terminal.err(`${seenLineText(note ?? `${name ?? ''} is added.`)}\n`);
        break;
      }
      case 'index':
        if (progress.left > 0) terminal.err(`${progress.left} documents are not read yet.\n`);
        break;
      case 'ended':
        found = progress.knowledge;
        break;
      default:
        return progress satisfies never;
    }
  }
  if (args.whole !== undefined)
    for (const name of names)
      found = await core.knowledge.setWhole({ projectPath, name, isWhole: args.whole }, { signal });
  if (found !== null) terminal.err(`${sumOf(found)}\n`);
  return refused === 0 ? 0 : 1;
};

function sourceOf(word: string): KnowledgeSource {
  return /^https?:\/\//iu.test(word) ? { type: 'page', url: word } : { type: 'file', path: resolve(word) };
}

function shown(
  { name: top }: Knowledge,
  { name, kind, pages, tokens, sizeBytes, from, addedAt, isWhole }: KnowledgeFile,
): string {
  const facts = [
    kind === null ? sizeText(sizeBytes) : `${partsText(kind, pages)}, ${sizeText(sizeBytes)}`,
    ...(tokens === 0 ? [] : [`about ${tokens} tokens`]),
    isWhole ? 'whole in each session' : 'searched',
    ...(from === null ? [] : [from.type === 'page' ? `from ${from.url}` : `from ${from.path}`]),
    new Date(addedAt).toISOString().slice(0, 10),
  ];
  return `${seenLineText(`${top}/${name}`)}\n  ${seenLineText(facts.join(', '))}\n`;
}

function sumOf({ files, folder }: Knowledge): string {
  const whole = files.filter(({ isWhole }) => isWhole);
  const tokens = whole.reduce((sum, one) => sum + one.tokens, 0);
  const cost =
    whole.length === 0 ? 'All are searched.' : `Whole in each session: ${whole.length}, about ${tokens} tokens.`;
  return `${pluralize(files.length, 'file')} in ${seenLineText(folder)}. ${cost}`;
}
