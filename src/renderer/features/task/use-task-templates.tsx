import type { RefObject } from 'react';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { matchingTemplates, templateAbout, templateVariables } from '@shared/session/prompt-templates.ts';
import { matchingPrompts, promptName, type FoundPrompt } from '@shared/tools/found-offers.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useOffers } from '../../lib/input/use-offers.ts';
import { useServerPrompts } from '../../lib/input/use-server-prompts.ts';
import { fillField, useTemplates } from '../../lib/input/use-templates.ts';
import { t } from '../../lib/text/translate.ts';
import type { FieldMenu, MessageFieldHandle } from '../../ui/controls/message-field.tsx';

interface TaskTemplates {
  /** Opens when a `/` is typed. */
  readonly menu: FieldMenu;
  /** If the task is `/name …` of a template, fills the field with its text and returns true. */
  readonly fill: () => boolean;
}

interface TaskText {
  readonly task: string;
  readonly setTask: (task: string) => void;
  readonly field: RefObject<MessageFieldHandle | null>;
  readonly place: FilePlace | null;
  /** The key of the project that the task begins in. Null: none. */
  readonly project: string | null;
  readonly attachments: Pick<Attachments, 'addKept'>;
}

/**
 * Prompt templates and prompts of tool servers in the field of a new task. The user sees the full text before sending
 * it.
 */
export function useTaskTemplates({ task, setTask, field, place, project, attachments }: TaskText): TaskTemplates {
  const { templates } = useTemplates(project);
  const server = useServerPrompts({ text: task, setText: setTask, place, attachments });
  const fillWith = (template: PromptTemplate, typed: string): void =>
    fillField({ setText: setTask, select: (at) => field.current?.select(at) }, template, typed);
  const { shown, selected, choose, onKeyDown } = useOffers<PromptTemplate | FoundPrompt>({
    text: task,
    offers: [...matchingTemplates(task, templates), ...matchingPrompts(task, server.prompts)],
    onChoose: (offer) => ('server' in offer ? server.choose(offer) : fillWith(offer, '')),
    isTyped: () => false,
  });
  const items = shown.map((offer) => {
    const { name, places, about } = lineOf(offer);
    return {
      key: name,
      choose: () => choose(offer),
      content: (
        <>
          <span className="font-mono text-xs whitespace-nowrap">
            /{seenName(name)} <span className="text-soft">{seenWords(places.join(' '))}</span>
          </span>
          <span className="text-xs text-soft">{seenWords(about)}</span>
        </>
      ),
    };
  });
  return {
    menu: { label: t('slash.label'), items, selected, onKeyDown, asked: server.asked },
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

function lineOf(offer: PromptTemplate | FoundPrompt) {
  if (!('server' in offer))
    return { name: offer.name, places: templateVariables(offer.text), about: templateAbout(offer) };
  const places = offer.arguments.map(({ name }) => name);
  return { name: promptName(offer), places, about: offer.title ?? offer.about ?? '' };
}
