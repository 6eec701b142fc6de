import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Comparison } from '@shared/comparisons/comparison.ts';
import type { Way } from '@shared/comparisons/way.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import type { KindWay } from '@shared/routing/kind-ways.ts';
import { workKinds, type WorkKind } from '@shared/routing/work-kinds.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { folderName } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Section } from '../../ui/layout/facts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface WayFor {
  readonly kind: WorkKind | 'any';
  readonly where: 'project' | 'all';
}

async function keepWay(
  client: ReturnType<typeof useClient>,
  { input, way }: { readonly input: Comparison['input']; readonly way: Way },
  { kind, where }: WayFor,
): Promise<void> {
  const choices = choicesOf(way, input);
  if (kind !== 'any') {
    const { effort, strategy } = way;
    const place = where === 'project' ? ['projects', input.projectPath] : ['everywhere'];
    const value: KindWay = {
      ...choices,
      ...(effort === undefined ? {} : { effort }),
      ...(strategy === undefined ? {} : { strategy }),
    };
    await client.settings.set({ key: ['kindWays', ...place, kind], value });
  } else if (where === 'project') {
    await client.projects.configure({ projectPath: input.projectPath, change: { type: 'choose', choices } });
  } else {
    for (const [key, value] of Object.entries(choices)) await client.settings.set({ key, value });
    // An order of models would go before the models of the way.
    if ('local' in choices || 'cloud' in choices) await client.settings.unset({ key: 'modelOrder' });
  }
}

/** Makes one of the compared ways the usual one, for the project or for all of them. */
export function UseWay({ comparison: { input } }: { readonly comparison: Comparison }) {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<WayFor['kind']>('any');
  const [done, setDone] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const way = input.ways.find((one) => wayName(one) === name) ?? input.ways[0];
  if (way === undefined) return null;
  const project = folderName(input.projectPath);
  const use = async (where: WayFor['where']): Promise<void> => {
    setProblem(null);
    try {
      await keepWay(client, { input, way }, { kind, where });
      const said = { way: seenName(wayName(way)), project };
      setDone(
        kind === 'any'
          ? t(`compare.used.${where}`, said)
          : t(`compare.usedFor.${where}`, { ...said, kind: t(`workKind.${kind}`) }),
      );
      await queries.invalidateQueries({ queryKey: ['models'] });
      await queries.invalidateQueries({ queryKey: ['settings'] });
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <Section title={t('compare.use')}>
      <div className="flex flex-wrap items-end gap-2">
        <Field label={t('compare.useWay')} className="min-w-48 flex-1">
          {(ids) => (
            <Select {...ids} value={wayName(way)} onChange={({ target }) => setName(target.value)}>
              {input.ways.map((one) => (
                <option key={wayName(one)} value={wayName(one)}>
                  {seenName(wayName(one))}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t('compare.useFor')} className="w-44">
          {(ids) => (
            <Select
              {...ids}
              value={kind}
              onChange={({ target }) => setKind(workKinds.find((one) => one === target.value) ?? 'any')}
            >
              <option value="any">{t('compare.useFor.any')}</option>
              {workKinds.map((one) => (
                <option key={one} value={one}>
                  {t(`workKind.${one}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button onClick={() => void use('project')}>{t('compare.useProject', { project })}</Button>
        <Button onClick={() => void use('all')}>{t('compare.useAll')}</Button>
      </div>
      {hasMore(way, kind) && (
        <p className="mt-1 text-sm text-soft">{t(kind === 'any' ? 'compare.useMore' : 'compare.useMoreFor')}</p>
      )}
      {done !== null && <output className="mt-1 block text-sm text-soft">{done}</output>}
      {problem !== null && <Problem text={problem} />}
    </Section>
  );
}

/** The settings hold policy and models. The effort belongs to a model, and a strategy or an assistant to a message. */
const hasMore = ({ effort, strategy, assistant, plan }: Way, kind: WayFor['kind']): boolean =>
  [...(kind === 'any' ? [effort, strategy] : []), assistant, plan].some((one) => one !== undefined);

function choicesOf({ policy, ...own }: Way, { local, cloud }: Comparison['input']) {
  const models = { local: own.local ?? local, cloud: own.cloud ?? cloud };
  return {
    policy,
    ...(policy === 'cloud' || models.local === undefined ? {} : { local: models.local }),
    ...(policy === 'local' || models.cloud === undefined ? {} : { cloud: models.cloud }),
  };
}
