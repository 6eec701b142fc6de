import type { Syntax } from '../code/code-syntax.ts';
import type { RecipeContext, RecipeWorld } from '../define.ts';
import { chunksOf, type Chunk } from './rank-project-chunks.ts';

const maxFiles = 250;
const maxFileBytes = 200_000;
const readable =
  /\.(py|pyi|[mc]?[jt]sx?|md|rst|txt|json|ya?ml|toml|ini|cfg|html|css|sql|sh|env|conf|go|rs|java|rb|php|c|h|cpp)$|(^|\/)(Dockerfile|Makefile|Procfile)$/i;
const noise = /(^|\/)(package-lock\.json|yarn\.lock|poetry\.lock)$|\.min\.js$/;

/** What is needed of a project to read it as chunks. */
export interface ReadableProject {
  readonly facts: Pick<RecipeContext['facts'], 'testFiles'>;
  readonly world: Pick<RecipeWorld, 'list' | 'read' | 'search' | 'symbols'>;
}

/**
 * Reads the project as chunks. Of a large project, only the files whose lines contain words of the query, and those
 * whose names of functions fit it.
 */
export async function readChunks(
  context: ReadableProject,
  syntax: Syntax,
  query: string,
  withTests: boolean,
): Promise<readonly Chunk[]> {
  const entries = await context.world.list();
  const tests = new Set(context.facts.testFiles);
  const files = entries.filter(
    (entry) =>
      entry.kind === 'file' &&
      readable.test(entry.path) &&
      !noise.test(entry.path) &&
      entry.sizeBytes < maxFileBytes &&
      (withTests || !tests.has(entry.path)),
  );
  const paths =
    files.length <= maxFiles
      ? files.map((file) => file.path)
      : await likeliest(
          context,
          query,
          files.map((file) => file.path),
        );
  const chunks: Chunk[] = [];
  for (const path of paths) {
    const text = await context.world.read(path);
    if (text !== null) chunks.push(...chunksOf(syntax, path, text));
  }
  return chunks;
}

/** As many of the names that fit a query best lead to the files that are read. */
const mostNames = 60;

async function likeliest(
  context: ReadableProject,
  query: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const words = [...new Set(query.match(/[A-Za-z_]{4,}/g) ?? [])].slice(0, 12);
  const counts = new Map<string, number>();
  for (const word of words) {
    const { matches } = await context.world.search({ pattern: word, literal: true, ignoreCase: true, limit: 300 });
    const hit = new Set(matches.map((match) => match.path));
    for (const path of hit) counts.set(path, (counts.get(path) ?? 0) + 1 / Math.sqrt(hit.size));
  }
  const known = new Set(paths);
  const found = [...counts.entries()]
    .filter(([path]) => known.has(path))
    .sort((left, right) => right[1] - left[1])
    .slice(0, 60)
    .map(([path]) => path);
  const named = (await context.world.symbols?.rank({ words: query, touched: [], limit: mostNames })) ?? [];
  return [...new Set([...found, ...named.map(({ path }) => path).filter((path) => known.has(path))])];
}
