import { chunksAt, rankChunks } from '../../context/rank-project-chunks.ts';
import { walkNames } from '../../facts/name-walk.ts';
import type { SourceFile } from '../../facts/project-reader.ts';
import type { FailingTests } from '../prompts/failing-tests.ts';
import type { Reach } from './rank-suspects.ts';

interface ReachParts {
  readonly files: readonly SourceFile[];
  /** Files of tests, whose helpers stand between a test and what it tests. */
  readonly helpers: readonly SourceFile[];
  readonly tests: readonly Pick<FailingTests, 'path' | 'text' | 'names'>[];
  readonly task: string;
}

/** What the sources say about some failing tests, without running them. */
export function reachOf({ files, helpers, tests, task }: ReachParts): Reach {
  const names = new Set(tests.flatMap((test) => [...test.names]));
  const walked = walkNames([...files, ...helpers], { path: tests[0]?.path ?? '', names });
  const chunks = files.flatMap(({ path, text, spans }) => chunksAt(path, text, spans));
  const ranked = rankChunks(chunks, [task, ...tests.map(({ text }) => text)].join('\n'));
  const best = ranked[0]?.score ?? 1;
  const fits = ranked.flatMap(({ chunk, score }) =>
    chunk.span === null ? [] : ([[chunk.span.id, score / best]] as const),
  );
  return { walked, fits: new Map(fits) };
}
