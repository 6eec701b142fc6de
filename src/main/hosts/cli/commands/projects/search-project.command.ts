import { keyOfWord } from './named-project.ts';
import {
  cutText,
  searchedByText,
  unreadText,
  type FoundInDocuments,
  type FoundPart,
} from '@shared/documents/document-search.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { seenLineText, seenName } from '@shared/text/seen-text.ts';
import { partWord } from '../../../../lib/files/document-kind.ts';
import { asWord } from '../../program/run-flags.ts';
import type { Command } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';

export interface SearchArguments {
  readonly wait?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
}

interface Asked {
  readonly folder: string;
  readonly words: readonly string[];
}

const mostShownLines = 6;

/** Prints the parts of a folder's documents that fit some words best. */
export const searchProject: Command<[Asked, SearchArguments]> = async (context, { folder, words }, args) => {
  const { core, signal, terminal } = context;
  const { limit, wait = false } = args;
  const request = {
    projectPath: await keyOfWord(core, folder),
    words: words.join(' '),
    wait,
    ...(limit === undefined ? {} : { limit }),
  };
  let found: FoundInDocuments | null = null;
  for await (const progress of await (await core()).projects.search(request, { signal })) {
    if (progress.type === 'ended') found = progress;
    else if (progress.type === 'waiting') terminal.err('Waiting: other vectors are made first.\n');
    else terminal.err(`${progress.done} of ${progress.of} parts are ready for a search by meaning.\n`);
  }
  if (found === null) return 1;
  const { chunks, documents, left, by, unread, isCut } = found;
  if (args.json === true) {
    const missing = { ...(unread === undefined ? {} : { unread }), ...(isCut === undefined ? {} : { isCut }) };
    terminal.out(jsonLine({ chunks, documents, left, by, ...missing }));
    return 0;
  }
  terminal.out(chunks.map(shown).join('\n'));
  for (const missing of [unreadText(found), cutText(found)])
    if (missing !== '') terminal.err(`${seenLineText(missing)}\n`);
  if (documents === 0) {
    terminal.err(hasNoFolder(request.projectPath) ? noKnowledge(folder) : noDocuments(folder));
    return 0;
  }
  if (chunks.length === 0)
    terminal.err(`No part of ${documents === 1 ? 'the document' : `${documents} documents`} fits these words.\n`);
  if (left > 0) terminal.err(`${left} of ${documents} documents are not read yet. Search again to go on with them.\n`);
  const how = searchedByText(by);
  const more = by.type === 'words-yet' && by.of > 0 ? ' Make the rest first with --wait.' : '';
  if (how !== '') terminal.err(`${how}${more}\n`);
  return 0;
};

const noKnowledge = (project: string): string =>
  `The project has no knowledge and no folder. Add a file or a page: dewpoint projects knowledge add ${seenName(asWord(project))} FILE\n`;

/** Names and texts in code are found in other ways, so a person is told of those. */
const noDocuments = (folder: string): string =>
  `There are no documents in ${seenLineText(folder)}. This searches PDF, Word and Excel files, notebooks, tables, web pages, Markdown and other texts, and no code.
To find names in code: dewpoint projects map ${seenName(asWord(folder))} --about WORDS. To ask about it: dewpoint run "Where is …?"
`;

function shown({ path, fromLine, page, title, text }: FoundPart): string {
  const where = page === null ? '' : `, ${partWord(path)} ${page}`;
  const about = title === '' ? '' : ` (${title})`;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const body = lines.slice(0, mostShownLines).map((line) => `  ${seenLineText(line.slice(0, 200))}\n`);
  return `${seenLineText(`${path}:${fromLine}${where}${about}`)}\n${body.join('')}`;
}
