import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { SearchServiceName } from '@shared/tools/web-tools.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { announce } from '../../lib/notices/announce.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { fieldOf } from '@shared/unknown-value.ts';
import { t } from '../../lib/text/translate.ts';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';

interface WebSettingsProps {
  readonly settings: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

/** Tools that let agents reach the web, and one that computes. All are off until the user switches them on here. */
export function WebSettings({ settings, onSave }: WebSettingsProps) {
  const web = fieldOf(settings, 'web');
  return (
    <>
      <Group title={t('settings.web')}>
        <p className="text-soft">{t('settings.web.text')}</p>
        <Switch name="web.read" isOn={fieldOf(web, 'read') === true} onSave={onSave} />
        <SearchService web={web} onSave={onSave} />
        <Switch name="web.request" isOn={fieldOf(web, 'request') === true} onSave={onSave} />
      </Group>
      <Group title={t('settings.computing')}>
        <Switch name="calculate" isOn={fieldOf(settings, 'calculate') === true} onSave={onSave} />
      </Group>
    </>
  );
}

interface SwitchProps extends Pick<WebSettingsProps, 'onSave'> {
  readonly name: 'web.read' | 'web.request' | 'calculate';
  readonly isOn: boolean;
}

function Switch({ name, isOn, onSave }: SwitchProps) {
  return (
    <Choice
      label={t(`settings.${name}`)}
      hint={t(`settings.${name}.hint`)}
      value={isOn ? 'on' : 'off'}
      options={(['off', 'on'] as const).map((value) => ({ value, text: t(`settings.web.${value}`) }))}
      onChange={(value) => onSave(name, value === 'on')}
    />
  );
}

interface SearchServiceProps {
  /** The web section of the settings. */
  readonly web: unknown;
  readonly onSave: (key: string, value: unknown) => void;
}

const choices = ['off', 'searxng', 'brave'] as const satisfies readonly ('off' | SearchServiceName)[];

/** The search service. A chosen service is used once a search with it has worked. */
function SearchService({ web, onSave }: SearchServiceProps) {
  const [chosen, setChosen] = useState<SearchServiceName | null>(null);
  const isRefused = useIsCommandRefused('web.setUpSearch');
  const search = fieldOf(web, 'search');
  const address = fieldOf(web, 'searxng');
  const current = choices.find((one) => one === search) ?? 'off';
  const shown = chosen ?? current;
  return (
    <>
      <Choice
        label={t('settings.web.search')}
        hint={t('settings.web.search.hint')}
        value={shown}
        isDisabled={isRefused}
        options={choices.map((value) => ({ value, text: t(`settings.web.search.${value}`) }))}
        onChange={(value) => {
          setChosen(value === 'off' ? null : value);
          if (value === 'off') onSave('web.search', 'off');
        }}
      />
      {isRefused && (
        <p className="text-sm text-soft">
          <TextWithCode text={t('settings.web.refused')} />
        </p>
      )}
      {!isRefused && shown !== 'off' && (
        <ServiceForm
          key={shown}
          service={shown}
          address={typeof address === 'string' ? address : ''}
          isOn={shown === current}
          onDone={() => setChosen(null)}
        />
      )}
    </>
  );
}

interface ServiceFormProps {
  readonly service: SearchServiceName;
  readonly address: string;
  /** Whether this service is in use. */
  readonly isOn: boolean;
  readonly onDone: () => void;
}

/** A key goes to the core once and never comes back. */
function ServiceForm({ service, address, isOn, onDone }: ServiceFormProps) {
  const client = useClient();
  const queries = useQueryClient();
  const [value, setValue] = useState(service === 'searxng' ? address : '');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const typed = value.trim();
  const test = async (): Promise<void> => {
    const controller = new AbortController();
    stop.current = controller;
    setBusy(true);
    setProblem(null);
    const given = typed === '' ? {} : service === 'searxng' ? { address: typed } : { key: typed };
    try {
      await client.web.setUpSearch({ service, ...given }, { signal: controller.signal });
      if (service !== 'searxng') setValue('');
      announce({ kind: 'info', text: t('settings.web.works', { service: t(`settings.web.search.${service}`) }) });
      await queries.invalidateQueries({ queryKey: ['settings'] });
      onDone();
    } catch (error) {
      if (!controller.signal.aborted) setProblem(`${t('settings.notSaved')} ${failureText(error)}`);
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void test();
  };
  return (
    <form aria-label={t(`settings.web.search.${service}`)} onSubmit={onSubmit} className="flex flex-col gap-2">
      <InputField
        label={t(`settings.web.${service}`)}
        hint={t(`settings.web.${service}.hint`)}
        {...(service === 'searxng' ? { placeholder: 'http://search.example.org:8888' } : { type: 'password' })}
        value={value}
        autoComplete="off"
        onText={setValue}
      />
      <div className="flex items-center gap-3">
        <Button type="submit" size="small" disabled={isBusy || (typed === '' && (service === 'searxng' || !isOn))}>
          {t(isBusy ? 'settings.web.testing' : isOn ? 'settings.web.test' : 'settings.web.use')}
        </Button>
        {isBusy && (
          <Button size="small" look="quiet" onClick={() => stop.current?.abort()}>
            {t('settings.web.cancel')}
          </Button>
        )}
      </div>
      {problem !== null && <Problem text={problem} />}
    </form>
  );
}
