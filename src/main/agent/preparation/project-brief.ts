import type { ProjectFacts } from '../../projects/facts/project-facts.ts';

/** The size limits of the lists of files. */
const LIST_CHARACTERS = { sources: 1_800, tests: 900, others: 400 } as const;

/** Project facts that open the task for a model in the loop, enough to know where to look first. */
export function projectBrief(facts: ProjectFacts): string {
  const sources = listed(facts.sourceFiles, LIST_CHARACTERS.sources);
  const tests = listed(facts.testFiles, LIST_CHARACTERS.tests);
  const others = listed(facts.otherFiles ?? [], LIST_CHARACTERS.others);
  return [
    filesSentence(facts),
    sources === '' ? '' : `Source: ${sources}`,
    tests === '' ? '' : `Tests: ${tests}`,
    others === '' ? '' : `Other files: ${others}`,
    facts.test === null ? '' : `Test command: ${facts.test.command}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Lists paths by folder, so that no prefix is repeated: `src/app/: a.py, b.py; src/lib/: c.py`. */
function listed(paths: readonly string[], mostCharacters: number): string {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const cut = path.lastIndexOf('/') + 1;
    folders.set(path.slice(0, cut), [...(folders.get(path.slice(0, cut)) ?? []), path.slice(cut)]);
  }
  let shown = '';
  let count = 0;
  for (const [folder, names] of folders) {
    for (const [index, name] of names.entries()) {
      const before = index > 0 ? ', ' : `${shown === '' ? '' : '; '}${folder === '' ? '' : `${folder}: `}`;
      if (shown.length + before.length + name.length > mostCharacters)
        return `${shown} … and ${paths.length - count} more`;
      shown += before + name;
      count += 1;
    }
  }
  return shown;
}

function filesSentence({ fileCount, truncated }: ProjectFacts): string {
  if (fileCount === 0) return 'The project has no files yet.';
  if (fileCount === 1) return 'The project has 1 file.';
  return `The project has ${fileCount} files${truncated ? ' or more' : ''}.`;
}
