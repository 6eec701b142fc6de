import { expect, test } from 'vitest';
import { missingSandbox } from '../../../../src/main/agent/turn/missing-parts.ts';

const place = { tier: 'read-only', workspacePath: '/w', scratchPath: null } as const;

// Bug: whoever chose the read-only tier was told to install Docker.
test('a person who chose read-only reads that, and is not told to install anything', () => {
  const { text, failure } = missingSandbox({ sandbox: place });
  expect(`${text} ${failure?.hint}`).toMatch(/^You chose read-only for this session/);
  expect(`${text} ${failure?.hint}`).not.toMatch(/Docker|Podman|install/i);
});

test('where an engine is missing, the reason is said as it was', () => {
  const missing = { message: 'No engine was found.', hint: 'Install one.' };
  expect(missingSandbox({ sandbox: { ...place, missing } })).toMatchObject({
    text: expect.stringContaining('No engine was found.'),
    failure: { hint: 'Install one.' },
  });
});
