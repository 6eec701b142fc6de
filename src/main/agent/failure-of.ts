import type { ErrorCode, Failure } from '@shared/errors.ts';
import type { ProviderError } from '../providers/define.ts';
import type { StepError } from './turn.ts';

const codes: Readonly<Record<ProviderError['code'], ErrorCode>> = {
  'rate-limit': 'model-failed',
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

/** What a failed model call means for a person. */
export function failureOf(error: StepError): Failure {
  return { code: codes[error.code], message: error.message };
}
