import { describe, expect, it } from 'vitest';
import { stepLabel } from '../../../../src/renderer/lib/session/step-label.ts';

describe('the line of a step', () => {
  it('is what was said, without the name of its purpose and without Markdown marks', () => {
    expect(stepLabel({ purpose: 'act', label: 'act: **Lyon** and `Lille`' })).toBe('Lyon and Lille');
  });

  it('is the command or file of a call as it stands', () => {
    expect(stepLabel({ purpose: 'act', label: 'read `dates.py`' })).toBe('read `dates.py`');
  });
});
