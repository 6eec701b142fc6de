import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../text/translate.ts';

/** The subject area of an approval, without the subject itself. */
export function approvalText(kind: string): string {
  if (kind === 'guarded-file') return t('approval.guarded-file');
  if (kind === 'instructions') return t('approval.instructions');
  if (kind === 'hard-links') return t('approval.hard-links');
  if (kind === 'disk') return t('approval.disk');
  if (kind === 'connected-tool') return t('approval.connected-tool');
  if (kind === 'program') return t('approval.program');
  if (kind === 'server-form') return t('approval.server-form');
  if (kind === 'memory') return t('approval.memory');
  if (kind === 'question') return t('question.label');
  if (kind === 'server-link') return t('approval.server-link');
  if (kind === 'server-model') return t('approval.server-model');
  if (kind === 'connection') return t('approval.connection');
  if (kind === 'web') return t('approval.web');
  if (kind === 'fence') return t('approval.fence');
  return kind === 'network' ? t('approval.network') : t('approval.unknown', { kind: seenName(kind) });
}
