import { matchingCommands } from '@shared/session/slash-commands.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { matchingTemplates, templateAbout, templateVariables } from '@shared/session/prompt-templates.ts';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import { matchingPrompts, promptName, type FoundPrompt } from '@shared/tools/found-offers.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useOffers } from '../../lib/input/use-offers.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useServerPrompts } from '../../lib/input/use-server-prompts.ts';
import { useTemplates } from '../../lib/input/use-templates.ts';
import { useProjectKey } from '../../lib/window/use-projects.ts';
import { t } from '../../lib/text/translate.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import type { FieldMenu } from '../../ui/controls/message-field.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

interface Offer {
  readonly key: string;
  /** The text in the field after the choice. */
  readonly typed: string;
  readonly title: string;
  readonly argument: string;
  readonly about: string;
  /** Fills the field at once. */
  readonly template?: PromptTemplate;
  /** Its server says what fills the field. */
  readonly prompt?: FoundPrompt;
}

interface SlashField {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** Puts a template into the field, with the words typed after its name. */
  readonly fillWith: (template: PromptTemplate, typed: string) => void;
  readonly place: FilePlace;
  readonly state: Pick<SessionState, 'projectPath' | 'project'>;
  readonly attachments: Pick<Attachments, 'addKept'>;
}

/**
 * The list that a `/` opens: commands, and models for the command that takes one. Arrows move in it, Tab and Enter
 * choose, Escape closes it.
 */
export function useSlashMenu({ text, setText, fillWith, place, state, attachments }: SlashField): FieldMenu {
  const { templates } = useTemplates(useProjectKey(state));
  const { prompts, choose: choosePrompt, asked } = useServerPrompts({ text, setText, place, attachments });
  const models = useModels().data ?? [];
  const offers = modelOffers(text, models) ?? [
    ...commandOffers(text),
    ...templateOffers(text, templates),
    ...promptOffers(text, prompts),
  ];
  const onChoose = (offer: Offer): void => {
    if (offer.template !== undefined) {
      fillWith(offer.template, '');
      return;
    }
    if (offer.prompt !== undefined) {
      choosePrompt(offer.prompt);
      return;
    }
    setText(offer.typed);
    // A command that takes an argument goes on with the list of arguments.
    closeFor(modelOffers(offer.typed, models) === null || offer.argument === '' ? offer.typed : null);
  };
  const { shown, selected, choose, onKeyDown, closeFor } = useOffers({
    text,
    offers,
    onChoose,
    isTyped: (offer) => isTyped(offer, text),
  });
  const items = shown.map((offer) => ({
    key: offer.key,
    choose: () => choose(offer),
    content: (
      <>
        <span className="font-mono text-xs whitespace-nowrap">
          {offer.title} <span className="text-soft">{offer.argument}</span>
        </span>
        <span className="text-xs text-soft">{offer.about}</span>
      </>
    ),
  }));
  return { label: t('slash.label'), items, selected, onKeyDown, asked };
}

/** Then Enter runs the command. A template fills the field first, so that the user sees it before sending. */
function isTyped({ typed, template, prompt }: Offer, text: string): boolean {
  return template === undefined && prompt === undefined && text === typed.trimEnd();
}

function templateOffers(typed: string, templates: readonly PromptTemplate[]): readonly Offer[] {
  return matchingTemplates(typed, templates).map((template) => ({
    key: `template-${template.name}`,
    typed: `/${template.name}`,
    title: `/${template.name}`,
    argument: templateVariables(template.text).join(' '),
    about: seenWords(templateAbout(template)),
    template,
  }));
}

function promptOffers(typed: string, prompts: readonly FoundPrompt[]): readonly Offer[] {
  return matchingPrompts(typed, prompts).map((prompt) => ({
    key: `prompt-${promptName(prompt)}`,
    typed: `/${promptName(prompt)}`,
    title: `/${seenName(promptName(prompt))}`,
    argument: seenWords(prompt.arguments.map(({ name }) => name).join(' ')),
    about: seenWords(prompt.title ?? prompt.about ?? ''),
    prompt,
  }));
}

function commandOffers(text: string): readonly Offer[] {
  return matchingCommands(text, 'window').map(({ name, argument }) => ({
    key: name,
    typed: `/${name}${argument === '' ? '' : ' '}`,
    title: `/${name}`,
    argument,
    about: t(`slash.${name}`),
  }));
}

/** Null when the text does not name a model. */
function modelOffers(text: string, models: readonly ModelEntry[]): readonly Offer[] | null {
  const part = /^\/model (\S*)$/u.exec(text)?.[1];
  if (part === undefined) return null;
  return models
    .filter(({ id, label, state }) => state === 'ready' && `${id} ${label}`.toLowerCase().includes(part.toLowerCase()))
    .map(({ id, label, where }) => ({
      key: id,
      typed: `/model ${id}`,
      title: seenName(id),
      argument: '',
      about: `${seenName(label)} · ${t(`composer.where.${where}`)}`,
    }));
}
