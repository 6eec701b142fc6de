import { useState } from 'react';
import { t } from '../../lib/text/translate.ts';
import { currencyOf } from '../../lib/text/use-money.ts';
import { Group, NumberSetting, TextSetting } from '../../ui/controls/settings-parts.tsx';

interface CurrencySettingsProps {
  readonly value: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

/** A code and its rate are saved together: the rate of another currency would be wrong. */
export function CurrencySettings({ value, onSave }: CurrencySettingsProps) {
  const saved = currencyOf(value);
  const [typed, setTyped] = useState<string | null>(null);
  // Kept until it is saved, also when the core refuses it.
  const draft = typed === saved?.code ? null : typed;
  const code = draft ?? saved?.code ?? null;
  return (
    <Group title={t('settings.currency')}>
      <p className="text-soft">{t('settings.currency.text')}</p>
      <TextSetting
        label={t('settings.currency.code')}
        hint={t('settings.currency.code.hint')}
        placeholder={t('settings.currency.code.example')}
        value={code}
        onSave={(text) => {
          setTyped(text?.toUpperCase() ?? null);
          if (text === null && saved !== null) onSave('money.currency', null);
        }}
      />
      {code !== null && (
        <NumberSetting
          key={code}
          label={t('settings.currency.perUsd')}
          hint={t('settings.currency.perUsd.hint')}
          value={draft === null ? (saved?.perUsd ?? null) : null}
          onSave={(perUsd) => onSave('money.currency', { code, perUsd })}
        />
      )}
    </Group>
  );
}
