import { howToGet, thinkingInWords, wordOfEffort } from '@shared/models/model-info.ts';
import { modelsOfTurn } from '../preparation/gather-turn-facts.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import type { TurnEnd } from './turn-baseline.ts';

type Asked = Pick<TurnOptions, 'policy' | 'local' | 'cloud'>;

export function missingModel({ policy, local, cloud }: Asked): TurnEnd {
  const isCloud = policy === 'cloud';
  const name = isCloud ? cloud : local;
  const message = name === null ? 'No cloud model is set up.' : `The model ${name} is not available.`;
  const hint = isCloud
    ? 'Look for its name in `dewpoint models list`, or add an endpoint with `dewpoint settings set providers.NAME …`; --cloud names it.'
    : `${howToGet(local)}, or name another one with --local; \`dewpoint models list\` shows what there is.`;
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-model', message, hint } };
}

export function missingSandbox({ sandbox: { missing, tier } }: Pick<TurnFacts, 'sandbox'>): TurnEnd {
  if (missing === undefined && tier === 'read-only') return chosenReadOnly();
  const what = missing?.message ?? 'There is no sandbox for commands on this machine.';
  const message = `${what} Nothing can be changed or run, but questions and plans still work.`;
  const hint =
    missing?.hint ??
    'Install and start Docker (or Podman with its Docker socket), then try again; `dewpoint doctor` says what is missing.';
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-sandbox', message, hint } };
}

function chosenReadOnly(): TurnEnd {
  const message =
    'You chose read-only for this session. Nothing can be changed or run, but questions and plans still work.';
  const hint = 'Start a new session without read-only (`--sandbox container`), and send the task there.';
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-sandbox', message, hint } };
}

/** Null: no effort was asked for, or a model that may work on the message supports it. */
export function missingThinking(
  options: Pick<TurnOptions, 'policy' | 'modelOrder' | 'thinking'>,
  found: Pick<TurnFacts, 'local' | 'cloud' | 'others'>,
): TurnEnd | null {
  const { thinking } = options;
  const models = modelsOfTurn(options, found);
  if (thinking === undefined || models.length === 0) return null;
  if (models.some(({ efforts }) => efforts?.includes(thinking) === true)) return null;
  const word = wordOfEffort(thinking);
  const known = models.map(thinkingInWords);
  const message = `No model of this message can be set to thinking: ${word}. ${known.join('; ')}.`;
  const hint = 'Choose another step, another model, or leave thinking as it is.';
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'bad-input', message, hint } };
}

/**
 * Null: a model that may work on the message supports images. Otherwise nothing is sent, rather than the text alone.
 */
export function missingImages(options: Pick<TurnOptions, 'policy' | 'modelOrder'>, found: TurnFacts): TurnEnd | null {
  const models = modelsOfTurn(options, found);
  if (models.length === 0 || models.some(({ capabilities }) => capabilities.images === true)) return null;
  const message = `${models.map(({ label }) => label).join(' and ')} ${models.length === 1 ? 'does' : 'do'} not support images, and the message has one.`;
  const hint = 'Send it to a model that supports images, or without the image.';
  return { reason: 'missing', text: message, confidence: null, failure: { code: 'missing-model', message, hint } };
}
