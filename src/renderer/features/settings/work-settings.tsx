import { choosablePolicies } from '../../lib/models/routing-policies.ts';
import { energySettings, sandboxLimits, turnLimits } from '../../lib/input/settings-search.ts';
import { t } from '../../lib/text/translate.ts';
import { useReachableModels } from '../../lib/models/use-local-model.ts';
import { ModelOrder } from './model-order.tsx';
import { LearnedRecord } from './learned-record.tsx';
import { KindWays } from './kind-ways.tsx';
import { ModelRoles } from './model-roles.tsx';
import { ProfileNumbers } from './profile-numbers.tsx';
import {
  Advanced,
  AreSettingsViewOnly,
  Choice,
  Group,
  NumberSetting,
  TextSetting,
} from '../../ui/controls/settings-parts.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { editorIds, knownEditors } from '@shared/settings/known-editors.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { WebSettings } from './web-settings.tsx';
import { mayNotify } from '../../lib/notices/may-notify.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { DesktopSettings } from './desktop-settings.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { strainActs, strainCauses } from '@shared/models/strain-lists.ts';
import { enteredSum, usdOf } from '@shared/money/currency.ts';
import { currencyOf } from '../../lib/text/use-money.ts';
import { CurrencySettings } from './currency-settings.tsx';
import { fieldOf } from '@shared/unknown-value.ts';

const choices = ['all', 'waits', 'off'] as const;

interface NotifySettingsProps {
  readonly value: string;
  readonly onSave: (value: string) => void;
}

/** News for a user who is looking elsewhere. A browser asks for its own permission. */
export function NotifySettings({ value, onSave }: NotifySettingsProps) {
  const isWindow = useIsWindow();
  const [isAllowed, setIsAllowed] = useState(mayNotify);
  const ask = async (): Promise<void> => setIsAllowed((await Notification.requestPermission()) === 'granted');
  return (
    <Group title={t('settings.notify')}>
      <Choice
        label={t('settings.notify.of')}
        hint={t('settings.notify.hint')}
        value={value}
        options={choices.map((choice) => ({ value: choice, text: t(`settings.notify.${choice}`) }))}
        onChange={onSave}
      />
      {!isWindow && !isAllowed && 'Notification' in window && (
        <Button className="self-start" onClick={() => void ask()}>
          {t('settings.notify.ask')}
        </Button>
      )}
    </Group>
  );
}

interface WorkSettingsProps {
  /** The core's settings. Read by name, because a newer core may have more. */
  readonly settings: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

const answers = ['ask', 'deny', 'allow'] as const;

export function WorkSettings({ settings, onSave }: WorkSettingsProps) {
  const options = useReachableModels();
  return (
    <>
      <Group title={t('settings.work')}>
        <Choice
          label={t('settings.policy')}
          hint={t('settings.policy.hint')}
          value={textAt(settings, 'policy')}
          options={choosablePolicies.map((value) => ({ value, text: t(`settings.policy.${value}`) }))}
          onChange={(value) => onSave('policy', value)}
        />
        <LearnedRecord />
        <ProfileNumbers own={recordAt(fieldOf(settings, 'routing'), 'numbers')} />
        <KindWays ways={fieldOf(settings, 'kindWays')} />
        <ModelRoles own={recordAt(fieldOf(settings, 'routing'), 'numbers')} onSave={onSave} />
        <Choice
          label={t('settings.local')}
          hint={t('settings.local.hint')}
          value={textAt(settings, 'local')}
          options={options('local')}
          onChange={(value) => onSave('local', value)}
        />
        <Choice
          label={t('settings.cloud')}
          hint={t('settings.cloud.hint')}
          value={textAt(settings, 'cloud')}
          options={[{ value: '', text: t('settings.cloud.none') }, ...options('cloud')]}
          onChange={(value) => onSave('cloud', value === '' ? null : value)}
        />
        <ModelOrder
          order={textsAt(settings, 'modelOrder')}
          usual={[textAt(settings, 'local'), textAt(settings, 'cloud')].filter((id) => id !== '')}
          onSave={(order) => onSave('modelOrder', order)}
        />
        <Choice
          label={t('settings.approve')}
          hint={t('settings.approve.hint')}
          value={textAt(settings, 'approve')}
          options={answers.map((value) => ({ value, text: t(`settings.approve.${value}`) }))}
          onChange={(value) => onSave('approve', value)}
        />
        <TextSetting
          label={t('settings.searchModel')}
          hint={t('settings.searchModel.hint')}
          value={textAt(settings, 'searchModel')}
          placeholder={t('settings.searchModel.auto')}
          onSave={(value) => onSave('searchModel', value ?? 'auto')}
        />
        <EditorSetting value={textAt(settings, 'editor')} onSave={(value) => onSave('editor', value)} />
      </Group>
      {/* A browser may change what it shows itself. */}
      <AreSettingsViewOnly value={false}>
        <NotifySettings value={textAt(settings, 'notify')} onSave={(value) => onSave('notify', value)} />
      </AreSettingsViewOnly>
      <DesktopSettings settings={fieldOf(settings, 'desktop')} onSave={onSave} />
      <Group title={t('settings.limits')}>
        {turnLimits.map((name) => (
          <NumberSetting
            key={name}
            label={t(`settings.${name}`)}
            hint={t(`settings.${name}.hint`)}
            value={numberAt(fieldOf(settings, 'limits'), name)}
            onSave={(value) => onSave(`limits.${name}`, value)}
          />
        ))}
      </Group>
    </>
  );
}

/** Only a window opens files. Offers the installed editors, and the chosen one even if it is missing. */
function EditorSetting({ value, onSave }: NotifySettingsProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const { data: found = [] } = useQuery({
    queryKey: ['editors'],
    queryFn: ({ signal }) => client.host.editors(undefined, { signal }),
    enabled: isWindow,
  });
  if (!isWindow) return null;
  const [first] = found;
  const shown = editorIds.filter((id) => found.includes(id) || id === value);
  return (
    <Choice
      label={t('settings.editor')}
      hint={t('settings.editor.hint')}
      value={value}
      options={[
        {
          value: 'auto',
          text:
            first === undefined ? t('settings.editor.none') : t('settings.editor.auto', { name: knownEditors[first] }),
        },
        ...shown.map((id) => ({ value: id, text: knownEditors[id] })),
        { value: 'system', text: t('settings.editor.system') },
      ]}
      onChange={onSave}
    />
  );
}

const programChoices = ['auto', 'on', 'off'] as const;

/** Settings that few users change. */
export function TechnicalSettings({ settings, onSave }: WorkSettingsProps) {
  const models = useReachableModels();
  return (
    <>
      <Group title={t('settings.sandbox')}>
        <Advanced label={t('settings.advanced.sandbox')}>
          {sandboxLimits.map((name) => (
            <NumberSetting
              key={name}
              label={t(`settings.${name}`)}
              hint={t(`settings.${name}.hint`)}
              value={numberAt(fieldOf(settings, 'sandbox'), name)}
              onSave={(value) => onSave(`sandbox.${name}`, value)}
            />
          ))}
        </Advanced>
      </Group>
      <WebSettings settings={settings} onSave={onSave} />
      <Group title={t('settings.programs')}>
        <Choice
          label={t('settings.programs.use')}
          hint={t('settings.programs.hint')}
          value={textAt(settings, 'programs')}
          options={programChoices.map((value) => ({ value, text: t(`settings.programs.${value}`) }))}
          onChange={(value) => onSave('programs', value)}
        />
        <Choice
          label={t('settings.programReviewer')}
          hint={t('settings.programReviewer.hint')}
          value={textAt(settings, 'programReviewer')}
          options={[{ value: '', text: t('settings.programReviewer.none') }, ...models('local'), ...models('cloud')]}
          onChange={(value) => onSave('programReviewer', value === '' ? null : value)}
        />
      </Group>
      <Connection settings={settings} onSave={onSave} />
      <Power settings={settings} onSave={onSave} />
      <CurrencySettings value={fieldOf(fieldOf(settings, 'money'), 'currency')} onSave={onSave} />
      <Energy settings={settings} onSave={onSave} />
    </>
  );
}

function Power({ settings, onSave }: WorkSettingsProps) {
  const power = fieldOf(settings, 'power');
  return (
    <Group title={t('power.title')}>
      <p className="text-soft">{t('power.text')}</p>
      {strainCauses.map((cause) => (
        <Choice
          key={cause}
          label={t(`power.${cause}`)}
          hint={t(`power.${cause}.hint`)}
          value={textAt(power, cause) || 'usual'}
          options={strainActs.map((value) => ({ value, text: t(`power.act.${value}`) }))}
          onChange={(value) => onSave(`power.${cause}`, value)}
        />
      ))}
    </Group>
  );
}

function Energy({ settings, onSave }: WorkSettingsProps) {
  return (
    <Group title={t('settings.energy')}>
      <Advanced label={t('settings.advanced.energy')}>
        <p className="text-soft">{t('settings.energy.text')}</p>
        {energySettings.map((name) => {
          const value = numberAt(fieldOf(settings, 'energy'), name);
          // A price list is in dollars, and so is what is stored. A person knows the price on the bill.
          const own = name === 'watts' ? null : currencyOf(fieldOf(fieldOf(settings, 'money'), 'currency'));
          return (
            <NumberSetting
              key={name}
              label={t(`settings.${name}`)}
              hint={
                own === null || name === 'watts'
                  ? t(`settings.${name}.hint`)
                  : t(`settings.${name}.own`, { code: own.code, perUsd: String(own.perUsd) })
              }
              value={value === null || own === null ? value : enteredSum(own, value)}
              onSave={(typed) => onSave(`energy.${name}`, own === null ? typed : usdOf(own, typed))}
              onClear={() => onSave(`energy.${name}`, null)}
            />
          );
        })}
      </Advanced>
    </Group>
  );
}

function Connection({ settings, onSave }: WorkSettingsProps) {
  const connection = fieldOf(settings, 'connection');
  return (
    <Group title={t('settings.connection')}>
      <Advanced label={t('settings.advanced.connection')}>
        <TextSetting
          label={t('settings.proxy')}
          hint={t('settings.proxy.hint')}
          placeholder="http://proxy.example.org:8080"
          value={textAt(connection, 'proxy')}
          onSave={(value) => onSave('connection.proxy', value)}
        />
        <TextSetting
          label={t('settings.certificates')}
          hint={t('settings.certificates.hint')}
          placeholder="/etc/ssl/our-authority.pem"
          value={textAt(connection, 'certificates')}
          onSave={(value) => onSave('connection.certificates', value)}
        />
      </Advanced>
    </Group>
  );
}

function recordAt(settings: unknown, key: string): Readonly<Record<string, unknown>> {
  const value = fieldOf(settings, key);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textAt(settings: unknown, key: string): string {
  const value = fieldOf(settings, key);
  return typeof value === 'string' ? value : '';
}

/** Null: there is no such list. */
function textsAt(settings: unknown, key: string): readonly string[] | null {
  const value = fieldOf(settings, key);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
}

function numberAt(settings: unknown, key: string): number | null {
  const value = fieldOf(settings, key);
  return typeof value === 'number' ? value : null;
}
