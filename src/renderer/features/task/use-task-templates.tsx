import type { RefObject } from 'react';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { matchingTemplates, templateAbout, templateVariables } from '@shared/session/prompt-templates.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { useOffers } from '../../lib/input/use-offers.ts';
import { fillField, useTemplates } from '../../lib/input/use-templates.ts';
import { t } from '../../lib/text/translate.ts';
import type { FieldMenu, MessageFieldHandle } from '../../ui/controls/message-field.tsx';

interface TaskTemplates {
  /** Opens with a `/`. */
  readonly menu: FieldMenu;
  /** Where the task is `/name …` of a template, its text stands in the field after that; false: it is not. */
  readonly fill: () => boolean;
}

/** Prompt templates in the field of a new task. Each is seen in full before it is sent. */
export function useTaskTemplates(
  task: string,
  setTask: (task: string) => void,
  field: RefObject<MessageFieldHandle | null>,
): TaskTemplates {
  const { templates } = useTemplates();
  const fillWith = (template: PromptTemplate, typed: string): void =>
    fillField({ setText: setTask, select: (place) => field.current?.select(place) }, template, typed);
  const { shown, selected, choose, onKeyDown } = useOffers({
    text: task,
    offers: matchingTemplates(task, templates),
    onChoose: (template) => fillWith(template, ''),
    isTyped: () => false,
  });
  const items = shown.map((template) => ({
    key: template.name,
    choose: () => choose(template),
    content: (
      <>
        <span className="font-mono text-xs whitespace-nowrap">
          /{template.name} <span className="text-soft">{templateVariables(template.text).join(' ')}</span>
        </span>
        <span className="text-xs text-soft">{seenWords(templateAbout(template.text))}</span>
      </>
    ),
  }));
  return {
    menu: { label: t('slash.label'), items, selected, onKeyDown },
    fill: () => {
      const words = task.trim();
      const [name = ''] = words.startsWith('/') ? words.slice(1).split(/\s/u, 1) : [];
      const template = templates.find((one) => one.name === name);
      if (template === undefined) return false;
      fillWith(template, words.slice(name.length + 1));
      return true;
    },
  };
}
