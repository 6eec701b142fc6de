import { createORPCClient } from '@orpc/client';
import type { CapView } from '@shared/contract/budget-contract.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import type { PreparationPart } from '@shared/projects/project-preparation.ts';
import type { CoreClient } from '../../src/renderer/lib/connection/core-client.ts';
import type { PullProgress } from '@shared/contract/models-contract.ts';

const parts: readonly PreparationPart[] = [
  {
    ecosystem: 'python',
    tool: 'pip',
    files: ['requirements.txt'],
    commands: [],
    state: 'ready',
    isNeeded: true,
    reason: null,
    packages: 12,
    sizeBytes: 4.2e7,
    key: '0123456789abcdef',
    preparedAt: 1_700_000_000_000,
  },
  {
    ecosystem: 'javascript',
    folder: 'page',
    tool: 'npm',
    files: ['package-lock.json'],
    commands: [],
    state: 'failed',
    isNeeded: true,
    reason: 'npm ci: the lock file and package.json do not agree.',
    packages: null,
    sizeBytes: null,
    changedBy: ['npm install left-pad'],
  },
];

const instructions: readonly InstructionFile[] = [
  {
    path: 'AGENTS.md',
    sizeBytes: 64,
    sha256: 'b'.repeat(64),
    state: 'changed',
    text: 'Run the tests before you say that it is done.\nUse four spaces.\n',
    diff: '@@ -1,2 +1,2 @@\n Run the tests before you say that it is done.\n-Use tabs.\n+Use four spaces.\n',
    problem: null,
  },
  {
    path: 'CLAUDE.md',
    sizeBytes: 18,
    sha256: 'c'.repeat(64),
    state: 'approved',
    text: 'Write no comments.\n',
    diff: null,
    problem: null,
  },
];

const caps: readonly CapView[] = [
  { scope: 'month', limitUsd: 20, isOwn: false, raisedUsd: 0, spentUsd: 3.41, heldUsd: 0 },
  { scope: 'project', limitUsd: 5, isOwn: false, raisedUsd: 0, spentUsd: null, heldUsd: null },
];

const settings: Readonly<Record<string, unknown>> = {
  prices: { 'example/large-1': { input: 2.5, output: 10 } },
  'network.projects': { '/project': { deny: [], ask: [], allow: ['files.example.org'] } },
};

/** An image that was attached. */
const picture = {
  mediaType: 'image/svg+xml',
  data: btoa(
    '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><path fill="#888" d="M0 0h80v60H0z"/><circle cx="40" cy="30" r="18" fill="#ddd"/></svg>',
  ),
};

const answers: Readonly<Record<string, unknown>> = {
  'host.info': { isWindow: true, refused: [] },
  'projects.parts': parts,
  'projects.instructions': instructions,
  'budget.show': caps,
  'attachments.read': picture,
};

/** Stands at a third until it is cancelled. */
async function* pull(signal: AbortSignal | undefined): AsyncGenerator<PullProgress> {
  yield { phase: 'downloading', doneBytes: 3.7e8, totalBytes: 1.1e9, text: '' };
  await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('It was cancelled.')));
  });
}

/** Answers what the components ask for to be drawn; whatever they would do fails. */
export const standInCore: CoreClient = createORPCClient({
  call: async (path, input, { signal }) => {
    const name = path.join('.');
    const asked: unknown = Reflect.get(Object(input), name === 'models.pull' ? 'id' : 'key');
    if (name === 'settings.get') return settings[String(asked)] ?? null;
    if (name === 'models.pull' && asked !== 'example/gone') return pull(signal);
    if (Object.hasOwn(answers, name)) return answers[name];
    throw new Error('There is no core behind this page.');
  },
});
