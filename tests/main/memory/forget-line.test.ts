import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMemoryCommands } from '../../../src/main/memory/commands.ts';
import { createMemoryFiles, type MemoryFiles } from '../../../src/main/memory/memory-files.ts';
import { createProjectMemory } from '../../../src/main/memory/project-memory.ts';
import { createForgetEverywhere } from '../../../src/main/sessions/library/forget-everywhere.ts';
import { call, createAgentKit, turnOptions, type KitOptions } from '../../fakes/agent-kit.ts';
import { makeHome, scratchSession, type Home } from '../sessions/session-fixtures.ts';

const projectPath = '/work/app';
const secret = 'Fixtures lie in the folder specimens.';
const signal = new AbortController().signal;

/** A session of the project that works with its memory, and says what its model was told. */
async function talk(home: Home, files: MemoryFiles, replies: NonNullable<KitOptions['replies']>) {
  const journal = await home.store.create(scratchSession);
  const memory = createProjectMemory({
    files,
    projectPath,
    sessionId: journal.sessionId,
    mode: () => 'on',
    setup: { change: () => Promise.reject(new Error('No settings are changed here.')) },
    read: () => journal.read(1),
    webTools: [],
    now: () => Date.UTC(2026, 10, 30),
  });
  const cloud = { parametersB: null, contextTokens: 200_000 };
  const kit = createAgentKit({ replies, cloud, dependencies: { journal, project: { memory } } });
  await kit.runner.send('Where do fixtures lie?', { ...turnOptions, policy: 'cloud', cloud: 'sky/model' });
  await journal.close();
  return JSON.stringify(kit.requests);
}

// Catches: a line that is gone from the list and still in a prompt, a proposal, an answer's sources or a count of uses.
it('a line that is forgotten is told to no later session of its project, and no file of the home has it', async () => {
  await using home = await makeHome();
  const files = createMemoryFiles(join(home.path, 'memory'));
  let dropped = 0;
  const everywhere = createForgetEverywhere({
    home: home.path,
    stores: [home.store],
    sessions: { openJournal: () => null, close: async () => undefined },
    blobs: home.blobs,
    dropIndex: async () => void (dropped += 1),
    now: () => 5,
  });
  const commands = createMemoryCommands({ memory: files, everywhere, now: () => Date.UTC(2026, 10, 30) });
  const { lines } = await commands.add({ input: { projectPath, text: secret, of: 'project' }, signal });
  const [line] = lines;
  if (line === undefined) throw new Error('The line is not there.');
  const done = call('task_complete', { summary: 'Fixtures are in the folder specimens.' });
  const replies = [call('propose_memory', { line: secret }), done];
  expect(await talk(home, files, replies)).toContain(secret);
  const uses = () => files.list(projectPath).then(([one]) => one?.uses?.length);
  expect(await uses()).toBe(1);

  // A line that was changed by hand meanwhile is replaced all the same.
  const changed = await commands.forget({ input: { projectPath, id: 'by-hand', onlyHere: true }, signal });
  expect(changed.lines).toHaveLength(1);
  const { forgotten, lines: left } = await commands.forget({ input: { projectPath, id: line.id }, signal });
  expect(forgotten).toMatchObject({ sessions: 1, busy: [] });
  expect(left).toEqual([]);
  expect(dropped).toBe(1);
  expect(await talk(home, files, [done])).not.toContain(secret);
  for (const entry of await readdir(home.path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    expect(text, entry.name).not.toContain(secret);
    if (entry.name === 'uses.json') expect(text).not.toContain(line.id);
  }
});
