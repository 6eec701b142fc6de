import { fieldOf } from '@shared/unknown-value.ts';
import { t } from '../../lib/text/translate.ts';
import { Advanced, Choice } from '../../ui/controls/settings-parts.tsx';

interface ModelRolesProps {
  /** The user's own numbers from the settings. Read by name, because a newer core may have more. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly onSave: (key: string, value: unknown) => void;
}

const usual = ['profile', 'own', 'local', 'score'] as const;
const placesOf = {
  plan: ['profile', 'cloud', 'local', 'score'],
  context: usual,
  edit: usual,
  answer: usual,
  summary: usual,
  title: [...usual, 'none'],
} as const;
const roles = ['plan', 'context', 'edit', 'answer', 'summary', 'title'] as const;

/** Which model does what: it plans, searches, edits, answers, summarizes, or writes titles. */
export function ModelRoles({ own, onSave }: ModelRolesProps) {
  const given = Object.entries(typeof own.roles === 'object' && own.roles !== null ? own.roles : {});
  return (
    <Advanced label={t('settings.roles')}>
      <p className="text-soft">{t('settings.roles.text')}</p>
      {roles.map((role) => {
        const now: unknown = fieldOf(own.roles, role);
        return (
          <Choice
            key={role}
            label={t(`settings.roles.${role}`)}
            {...(role === 'plan' ? { hint: t('settings.roles.plan.hint') } : {})}
            value={typeof now === 'string' ? now : 'profile'}
            options={placesOf[role].map((value) => ({ value, text: t(`settings.roles.by.${value}`) }))}
            onChange={(value) => {
              const others = given.filter(([name]) => name !== role);
              const all = value === 'profile' ? others : [...others, [role, value]];
              onSave('routing.numbers.roles', Object.fromEntries(all));
            }}
          />
        );
      })}
    </Advanced>
  );
}
