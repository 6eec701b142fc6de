import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../../src/shared/errors.ts';
import { startFailure } from '../../../../../src/main/sandbox/docker/container/container-start-failure.ts';

describe('a failed start of a container', () => {
  it('is reported with its own reason', () => {
    const refused = new AppError('refused', 'There is too much to hide in this project.', { hint: 'Mask a folder.' });
    expect(startFailure(refused)).toEqual({
      ok: false,
      error: { code: 'refused', message: 'There is too much to hide in this project.', hint: 'Mask a folder.' },
    });
    expect(startFailure(new Error('broken'))).toMatchObject({ error: { code: 'missing-sandbox' } });
  });
});
