import type { ErrorCode, Failure } from '@shared/errors.ts';
import type { ProviderError } from '../../models/providers/define.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { StepError } from '../turn/turn.ts';

const codes: Readonly<Record<ProviderError['code'], ErrorCode>> = {
  // Counts as a failure of the provider: another strategy would meet the same limit.
  'rate-limit': 'network',
  overloaded: 'model-failed',
  auth: 'missing-key',
  'no-key': 'missing-key',
  // Nothing on this machine is missing: another strategy would meet the same.
  'no-credit': 'network',
  blocked: 'network',
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

/** The service itself is what fails, and only for now. */
const passing: ReadonlySet<ProviderError['code']> = new Set(['rate-limit', 'overloaded', 'stalled', 'cut']);

const kept = 'What was done so far is kept.';

/** What the user reads about a failed model call: who reported it and, if possible, what to do. */
export function failureOf(error: StepError, { provider, where }: Pick<ModelInfo, 'provider' | 'where'>): Failure {
  const code = codes[error.code];
  if (error.code === 'no-key') return { code, message: error.message };
  if (error.code === 'no-credit') {
    const hint = `Add credit at ${provider}, or choose another model. ${kept}`;
    return { code, message: `${provider} refused the call: ${error.message}`, hint };
  }
  if (error.code === 'blocked') return { code, message: error.message };
  if (code === 'missing-key') {
    const hint = `Give ${provider} a key that works (\`dewpoint keys set ${provider}\`, or Settings), then send the task again. ${kept}`;
    return { code, message: `${provider} refused the call: ${error.message}`, hint };
  }
  const message = where === 'cloud' ? `${provider} did not answer: ${error.message}` : error.message;
  if (!passing.has(error.code)) return { code, message };
  return { code, message, hint: `Send it again later, or choose another model. ${kept}` };
}

/** Whether another strategy with the same model would fail too, because its provider is what fails. */
export function isProviderFailure({ code }: Failure): boolean {
  return code === 'missing-key' || code === 'missing-model' || code === 'network' || code === 'timeout';
}
