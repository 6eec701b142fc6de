import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentKit } from '../fakes/agent-kit.ts';
import { createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import { expectReplay } from '../fakes/replay-kit.ts';
import { courses } from './courses.ts';
import { isWithoutEngine, startSandbox, type DockerUnderTest } from './docker-kit.ts';

/**
 * Catches: a strong model's way through a task that ends differently than it should, in the real loop and a real
 * container.
 */
let session: DockerUnderTest;

async function lay(files: Readonly<Record<string, string>>): Promise<void> {
  for (const name of await readdir(session.workspace)) await rm(join(session.workspace, name), { recursive: true });
  for (const [path, text] of Object.entries(files)) await session.put(path, text);
}

/** What a model can call, without what the loop does by itself. */
const ofModel = new Set([...builtInTools(discoverTools(), { now: () => 0 }).map(({ name }) => name), 'run_program']);

const callsOf = (kit: AgentKit): string =>
  ofType(kit.journal.events, 'tool-ended')
    .filter(({ tool }) => ofModel.has(tool))
    .map(({ tool, status }) => `${tool}:${status}`)
    .join(' ');

const toldTo = (kit: AgentKit): string =>
  kit.requests
    .flatMap(({ messages }) => messages)
    .filter(({ role }) => role !== 'assistant')
    .flatMap(({ parts }) => parts)
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');

describe.skipIf(isWithoutEngine)('a strong model', () => {
  beforeAll(async () => {
    session = await startSandbox();
  }, 120_000);
  afterAll(() => session.close());

  it('is tested with at least forty courses', () => {
    expect(courses.length).toBeGreaterThanOrEqual(40);
    expect(new Set(courses.map(({ name }) => name)).size).toBe(courses.length);
  });

  it.for(courses)('$name', async (course) => {
    await lay(course.files);
    const kit = createAgentKit({
      replies: course.answers,
      ...(course.config === undefined ? {} : { config: course.config }),
      dependencies: {
        sandbox: session.sandbox,
        tools: { programs: () => 'on' },
        approver: { ask: async () => course.person ?? 'deny' },
      },
    });
    const end = await kit.runner.send(course.task, {
      ...turnOptions,
      mode: 'auto',
      strategy: 'loop',
      ...course.options,
    });
    expect({ end: end.reason, calls: callsOf(kit), steps: kit.requests.length }, end.text).toEqual({
      end: course.end,
      calls: course.calls,
      steps: course.steps,
    });
    const left = { ...course.files, ...course.left };
    for (const [path, text] of Object.entries(left)) {
      const found = await session.text(path);
      if (text instanceof RegExp) expect(found, path).toMatch(text);
      else expect(found, path).toBe(text);
    }
    const told = toldTo(kit);
    for (const pattern of course.told ?? []) expect(told).toMatch(pattern);
    if (course.untold !== undefined) expect(told).not.toMatch(course.untold);
    await expectReplay(kit);
  });
});
