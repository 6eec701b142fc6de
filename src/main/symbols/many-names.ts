import type { ProjectFacts } from '../projects/facts/project-facts.ts';
import { tagLanguageOf } from './tags/tag-languages.ts';

const manyFiles = 15;
const manyBytes = 200_000;

/** Whether a project is so large that a map of its names helps. In a smaller one, the list of its files says enough. */
export function hasManyNames({
  sourceFiles,
  testFiles,
  languages,
}: Pick<ProjectFacts, 'sourceFiles' | 'testFiles' | 'languages'>): boolean {
  const known = [...sourceFiles, ...testFiles].filter((path) => tagLanguageOf(path) !== null);
  const bytes = languages.reduce((sum, { language, bytes: own }) => (language === 'other' ? sum : sum + own), 0);
  return known.length >= manyFiles || (known.length > 0 && bytes >= manyBytes);
}
