import type { DatabaseSync } from 'node:sqlite';
import type { SearchHit } from '@shared/contract/search-answer.ts';

type Hit = Omit<SearchHit, 'title' | 'projectPath'>;

/** So that one long session does not fill the results. */
const hitsPerSession = 5;

/** How many texts are checked for hits. A very common word is found in the latest texts. */
const mostLookedAt = 2000;

/** The index finds parts of three characters or more. Shorter words filter what the longer ones find. */
const shortestIndexed = 3;

/** Texts that contain every word of `text`, ignoring case and accents, latest first. `"…"` keeps words together. */
export function findHits(db: DatabaseSync, text: string, limit: number): readonly Hit[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const hits: Hit[] = [];
  const perSession = new Map<string, number>();
  const said = new Set<string>();
  /** The latest answer per session among the checked texts. The next one was written before it. */
  const answers = new Map<string, string>();
  for (const row of candidates(db, words)) {
    const hit = hitOf(row, words);
    const count = perSession.get(hit.sessionId) ?? 0;
    const key = `${hit.sessionId} ${hit.snippet.before}${hit.snippet.match}${hit.snippet.after}`;
    const isRepeated = said.has(key) || isSaidAgain(hit, String(row.text), answers);
    if (count >= hitsPerSession || isRepeated) continue;
    said.add(key);
    perSession.set(hit.sessionId, count + 1);
    hits.push(hit);
    if (hits.length >= limit) break;
  }
  return hits;
}

/** The end of a turn repeats its last step, which may contain more text before it, or be a call. */
function isSaidAgain({ sessionId, kind }: Hit, text: string, answers: Map<string, string>): boolean {
  if (kind !== 'answer' && kind !== 'call') return false;
  const own = text.trim();
  const later = answers.get(sessionId);
  if (later !== undefined && (own.includes(later) || later.includes(own))) return true;
  if (kind === 'answer') answers.set(sessionId, own);
  return false;
}

/** `a "b c"` gives two words. */
function wordsOf(text: string): readonly string[] {
  const words = [...text.matchAll(/"([^"]+)"|([^\s"]+)/gu)].map((match) => match[1] ?? match[2] ?? '');
  return [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))].slice(0, 20);
}

function* candidates(db: DatabaseSync, words: readonly string[]): Generator<Readonly<Record<string, unknown>>> {
  const long = words.filter((word) => Array.from(word).length >= shortestIndexed);
  const short = words.filter((word) => !long.includes(word));
  const like = short.map(() => "text LIKE ? ESCAPE '\\'");
  const isFound = long.length > 0 ? ['id IN (SELECT rowid FROM found WHERE found MATCH ?)'] : [];
  // Sorts only the ids. Texts are fetched for the rows that are used.
  const query = `SELECT id FROM texts WHERE ${[...isFound, ...like].join(' AND ')}
    ORDER BY at DESC, id DESC LIMIT ${mostLookedAt}`;
  const match = long.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
  const patterns = short.map((word) => `%${word.replaceAll(/[\\%_]/gu, '\\$&')}%`);
  const rows: readonly unknown[] = db.prepare(query).all(...(long.length > 0 ? [match] : []), ...patterns);
  const one = db.prepare('SELECT session, kind, ref, seq, at, text FROM texts WHERE id = ?');
  for (const row of rows) yield Object(one.get(Reflect.get(Object(row), 'id')));
}

const kinds = ['title', 'message', 'answer', 'call', 'output'] as const;

function hitOf(row: Readonly<Record<string, unknown>>, words: readonly string[]): Hit {
  return {
    sessionId: String(row.session),
    kind: kinds.find((kind) => kind === row.kind) ?? 'output',
    ref: typeof row.ref === 'string' ? row.ref : null,
    seq: Number(row.seq),
    at: Number(row.at),
    snippet: snippetOf(String(row.text), words),
  };
}

const beforeCharacters = 40;
const afterCharacters = 120;

/** Text around the first word that occurs in it, on one line. */
function snippetOf(text: string, words: readonly string[]): SearchHit['snippet'] {
  const folded = fold(text);
  const places = words.map((word) => ({ at: folded.indexOf(fold(word)), length: word.length }));
  const first = places.filter(({ at }) => at >= 0).sort((left, right) => left.at - right.at)[0];
  const { at, length } = first ?? { at: 0, length: 0 };
  const begin = Math.max(0, at - beforeCharacters);
  const end = at + length + afterCharacters;
  return {
    before: `${begin > 0 ? '…' : ''}${oneLine(text.slice(begin, at)).trimStart()}`,
    match: oneLine(text.slice(at, at + length)),
    after: `${oneLine(text.slice(at + length, end)).trimEnd()}${end < text.length ? '…' : ''}`,
  };
}

/** Keeps the position of every character: one without its own accent, or that would become two, stays unchanged. */
function fold(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/gu, plain).toLowerCase();
}

function plain(character: string): string {
  const [base = character] = character.normalize('NFD');
  return base.length === character.length && base.toLowerCase().length === character.length ? base : character;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ');
}
