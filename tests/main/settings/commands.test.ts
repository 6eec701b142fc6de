import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSettingsCommands } from '../../../src/main/settings/commands.ts';
import { openSettings } from '../../../src/main/settings/settings-store.ts';

describe('the model for a search by meaning', () => {
  /** Catches: a name that is wrong, and that only the next search tells. */
  it('is refused where it is set if it cannot work, and the old one stays', async () => {
    const opened = await openSettings(mkdtempSync(join(tmpdir(), 'dewpoint-settings-')));
    if (!opened.ok) throw new Error(opened.error.message);
    const searchModelProblem = async (model: string) => (model === 'cloud/m' ? 'cloud/m makes no vectors.' : null);
    const { signal } = new AbortController();
    const { set, get } = createSettingsCommands(opened.value, { searchModelProblem });
    await set({ input: { key: 'searchModel', value: 'ollama/all-minilm' }, signal });
    await expect(set({ input: { key: 'searchModel', value: 'cloud/m' }, signal })).rejects.toMatchObject({
      code: 'bad-input',
      message: 'cloud/m makes no vectors. Nothing was changed.',
    });
    expect(await get({ input: { key: 'searchModel' }, signal })).toBe('ollama/all-minilm');
  });
});
