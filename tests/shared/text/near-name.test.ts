import { describe, expect, it } from 'vitest';
import { didYouMean, nearestName } from '../../../src/shared/text/near-name.ts';

describe('the nearest name', () => {
  it('is found for one typing error, or a beginning of it', () => {
    expect(nearestName('polcy', ['local', 'policy', 'power'])).toBe('policy');
    expect(nearestName('qwen2.5-coder-1.5b', ['smollm2', 'qwen2.5-coder-1.5b-instruct'])).toBe(
      'qwen2.5-coder-1.5b-instruct',
    );
  });

  it('is none when nothing is near', () => {
    expect(nearestName('nonsense', ['policy', 'local'])).toBeNull();
    expect(nearestName('', ['policy'])).toBeNull();
    expect(nearestName('policy', [])).toBeNull();
    expect(didYouMean('nonsense', ['policy'])).toBe('');
    expect(didYouMean('polcy', ['policy'])).toBe('Did you mean policy? ');
  });
});
