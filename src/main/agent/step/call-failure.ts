import type { ErrorCode, Failure } from '@shared/errors.ts';
import type { ProviderError } from '../../models/providers/define.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { StepError } from '../turn/turn.ts';

const codes: Readonly<Record<ProviderError['code'], ErrorCode>> = {
  // Asked in another way, it would refuse as well.
  'rate-limit': 'network',
  overloaded: 'model-failed',
  auth: 'missing-key',
  'bad-request': 'model-failed',
  'context-full': 'too-large',
  network: 'network',
  stalled: 'timeout',
  cut: 'model-failed',
  'engine-lost': 'engine-lost',
  'missing-model': 'missing-model',
  'bad-model': 'model-failed',
  'out-of-memory': 'model-failed',
  internal: 'model-failed',
};

/** What a failed model call means for a person: who said it, and what to do where there is something to do. */
export function failureOf(error: StepError, { provider, where }: Pick<ModelInfo, 'provider' | 'where'>): Failure {
  const code = codes[error.code];
  if (code === 'missing-key') {
    const hint = `Give ${provider} a key that holds (\`dewpoint keys set ${provider}\`, or Settings), then send the task again. What was done so far is kept.`;
    return { code, message: `${provider} refused the call: ${error.message}`, hint };
  }
  const message = where === 'cloud' ? `${provider} did not answer: ${error.message}` : error.message;
  return { code, message };
}

/** Whether another way of driving the same model would meet the same: its service is what fails, not the way. */
export function isProviderFailure({ code }: Failure): boolean {
  return code === 'missing-key' || code === 'missing-model' || code === 'network';
}
