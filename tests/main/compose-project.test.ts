import { describe, expect, it } from 'vitest';
import { createProjectParts, type KnownOfProject } from '../../src/main/compose-project.ts';
import type { LanguageServers } from '../../src/main/language-servers/language-servers.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { neverAborts } from '../../src/main/lib/async/abort.ts';

const files = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [`src/part_${at}.py`, `def work_${at}():\n    return ${at}\n`]),
);

function partsWithout(without: readonly KnownOfProject[]) {
  const asked: string[] = [];
  const servers: LanguageServers = {
    questions: new Proxy(Object.create(null), {}),
    namesFor: async () => ['ty'],
    warm: (path) => void asked.push(`warm ${path}`),
    newErrors: async () => {
      asked.push('new errors');
      return { type: 'late' };
    },
  };
  return { asked, ...createProjectParts({ languageServers: () => servers }, { without: () => without }) };
}

async function found(without: readonly KnownOfProject[]) {
  const { asked, findParts, gatherFacts, languageServers } = partsWithout(without);
  const sandbox = createMemorySandbox({ files });
  const facts = await gatherFacts(sandbox.files, neverAborts);
  const parts = await findParts({ sandbox, facts }, neverAborts);
  const own = languageServers(sandbox);
  own.warm('src/part_1.py');
  const { type } = await own.newErrors([], { limitMs: 1, signal: neverAborts });
  return { parts, asked, type };
}

describe('what is known of a project', () => {
  it('has its names and the errors of edits', async () => {
    expect(await found([])).toEqual({
      parts: ['symbols', 'language-server'],
      asked: ['warm src/part_1.py', 'new errors'],
      type: 'late',
    });
  });

  /** Catches: a listing of the whole project for each of its parts, at the start of every turn. */
  it('has documents and notebooks, found in one listing', async () => {
    const { files: plain, ...rest } = createMemorySandbox({
      files: { ...files, 'a.pdf': Buffer.from('x'), 'work/b.ipynb': Buffer.from('{}') },
    });
    const { findParts, gatherFacts } = partsWithout(['names', 'diagnostics']);
    const facts = await gatherFacts(plain, neverAborts);
    let listings = 0;
    const list: typeof plain.list = (...asked) => {
      listings += 1;
      return plain.list(...asked);
    };
    const sandbox = { ...rest, files: { ...plain, list } };
    expect(await findParts({ sandbox, facts }, neverAborts)).toEqual(['language-server', 'documents', 'notebooks']);
    expect(listings).toBe(1);
  });

  it('has no names where a benchmark leaves them out', async () => {
    expect((await found(['names'])).parts).toEqual(['language-server']);
  });

  it('has no errors of edits where a benchmark leaves them out, and no server is started for them', async () => {
    expect(await found(['diagnostics'])).toMatchObject({ asked: [], type: 'none' });
  });
});
