import { describe, expect, it } from 'vitest';
import type { StepState } from '../../../../src/shared/session/session-state.ts';
import { stepLabel } from '../../../../src/renderer/lib/session/step-label.ts';

const step = (purpose: StepState['purpose'], label: string): StepState => ({
  callId: 'c1',
  turnId: 't1',
  seq: 1,
  step: 1,
  provider: 'llama-cpp',
  model: 'm',
  where: 'local',
  purpose,
  label,
  startedAt: 0,
  end: null,
});

describe('the line of a step', () => {
  it('is what was said, without the name of its purpose and without Markdown marks', () => {
    expect(stepLabel(step('act', 'act: **Lyon** and `Lille`'))).toBe('Lyon and Lille');
  });

  it('is the command or file of a call as it stands', () => {
    expect(stepLabel(step('act', 'read `dates.py`'))).toBe('read `dates.py`');
  });
});
