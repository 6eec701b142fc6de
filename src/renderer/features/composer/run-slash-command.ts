import { planSteps } from '@shared/session/plan-steps.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { mentionOf } from '@shared/attachments/file-mentions.ts';
import type { ParsedSlash } from '@shared/session/slash-commands.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { TurnPolicy } from '@shared/routing/routing.ts';
import type { CoreClient } from '../../lib/connection/core-client.ts';
import { startPlan } from '../../lib/session/session-commands.ts';
import type { View } from '../../lib/window/use-view.ts';
import { plural, t } from '../../lib/text/translate.ts';
import type { AssistantChoiceState } from '../../lib/input/use-assistants.ts';
import type { ModelPick } from '../../lib/models/model-options.ts';
import type { ComposerProps, ComposerNote } from './composer-types.ts';

/** What commands can use. */
export interface SlashContext extends Pick<ComposerProps, 'sessionId' | 'onSent' | 'onInspect' | 'onHelp'> {
  readonly client: CoreClient;
  readonly state: SessionState;
  readonly navigate: (view: View) => void;
  readonly change: (pick: Partial<ModelPick>) => void;
  readonly setIsCompact: (isCompact: boolean) => void;
  readonly setText: (text: string) => void;
  readonly chooseFiles: () => void;
  readonly openModels: () => void;
  readonly openTemplates: () => void;
  readonly setMode: (mode: TaskMode) => void;
  readonly assistants: Pick<AssistantChoiceState, 'assistants' | 'choose'>;
  readonly send: (text: string, mode: TaskMode | null) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The message of a command, and whether to empty the field. A text that the command wrote into the field stays. */
export interface SlashOutcome {
  readonly said: ComposerNote | null;
  readonly keepsText: boolean;
}

const done: SlashOutcome = { said: null, keepsText: false };
const info = (text: string): SlashOutcome => ({ said: { kind: 'info', text }, keepsText: false });
const wrong = (text: string): SlashOutcome => ({ said: { kind: 'error', text }, keepsText: true });

/** Runs a command. Rejects with a failure of the core. */
export async function runSlashCommand(parsed: ParsedSlash, reach: SlashContext): Promise<SlashOutcome> {
  if (parsed.type === 'unknown') {
    const name = `/${parsed.typed}`;
    return wrong(
      parsed.nearest === null
        ? t('slash.unknown', { name })
        : t('slash.unknownNear', { name, nearest: `/${parsed.nearest}` }),
    );
  }
  const { name, rest } = parsed;
  switch (name) {
    case 'plan':
      return plan(reach, rest);
    case 'ask':
    case 'work':
      return choose(reach, name, rest);
    case 'local':
      return goLocal(reach);
    case 'cloud':
      return setPolicy(reach, 'cloud');
    case 'auto':
      return setPolicy(reach, 'hybrid');
    case 'model':
      return setModel(reach, rest);
    case 'assistant':
      return setAssistant(reach, rest);
    case 'image':
    case 'attach':
      return attach(reach, rest);
    case 'compact':
      reach.setIsCompact(true);
      return info(t('slash.compactSet'));
    case 'compare':
      if (rest === '') return wrong(t('slash.needsTask'));
      reach.navigate({ type: 'compare', task: { text: rest, project: reach.state.projectPath } });
      return done;
    case 'diff':
      reach.onInspect('changes');
      return done;
    case 'cost':
    case 'route':
      reach.onInspect(name);
      return done;
    case 'take':
    case 'undo':
      return info(await settle(reach, name, rest));
    case 'raise':
      return raise(reach, rest);
    case 'stop':
      await reach.stop();
      return done;
    case 'templates':
      reach.openTemplates();
      return done;
    // In the window, a question has its own buttons, so these commands are not offered.
    case 'allow':
    case 'deny':
    case 'help':
    case 'quit':
      reach.onHelp();
      return done;
    default:
      return name satisfies never;
  }
}

/** Sets the mode for one message, or for the next ones. */
async function choose(reach: SlashContext, mode: 'ask' | 'work', text: string): Promise<SlashOutcome> {
  if (text === '') reach.setMode(mode);
  else await reach.send(text, mode);
  return done;
}

/** Switches to local models. At a spending limit, this is the answer to its question. */
async function goLocal(reach: SlashContext): Promise<SlashOutcome> {
  const { client, sessionId, state } = reach;
  if (state.cap === null) return setPolicy(reach, 'local');
  await client.sessions.answerCap({ sessionId, capId: state.cap.capId, decision: { answer: 'local' } });
  return done;
}

/** Turns the name of a project's file into a mention. */
function attach(reach: SlashContext, path: string): SlashOutcome {
  if (path !== '') {
    reach.setText(`${mentionOf(path)} `);
    return { said: null, keepsText: true };
  }
  reach.chooseFiles();
  return done;
}

function setPolicy(reach: SlashContext, policy: TurnPolicy): SlashOutcome {
  reach.change({ policy });
  return info(t('slash.policySet', { policy: t(`composer.where.${policy}`) }));
}

/** Like a choice in the picker. Without a name, opens the picker. */
async function setModel(reach: SlashContext, id: string): Promise<SlashOutcome> {
  if (id === '') {
    reach.openModels();
    return done;
  }
  if (!id.includes('/')) return wrong(t('slash.needsModel'));
  const { where } = await reach.client.models.show({ id });
  reach.change(where === 'cloud' ? { policy: 'cloud', cloud: id } : { policy: 'local', local: id });
  return info(t('slash.modelSet', { model: id }));
}

/** Without a name, opens the view of assistants. */
function setAssistant(
  { navigate, assistants: { assistants, choose: take } }: SlashContext,
  name: string,
): SlashOutcome {
  if (name === '') {
    navigate({ type: 'assistants' });
    return done;
  }
  const isOff = name === 'off';
  if (!isOff && !assistants.some((one) => one.name === name)) {
    const names = assistants.map((one) => one.name).join(', ');
    return wrong(t(names === '' ? 'slash.assistantNone' : 'slash.assistantUnknown', { name, names }));
  }
  take(isOff ? null : name);
  return info(isOff ? t('slash.assistantOff') : t('slash.assistantSet', { name }));
}

async function plan(reach: SlashContext, rest: string): Promise<SlashOutcome> {
  if (rest !== '' && rest !== 'start' && rest !== 'edit') {
    await reach.send(rest, 'plan');
    return { said: null, keepsText: true };
  }
  const turn = reach.state.turns.findLast(({ reason }) => reason === 'planned');
  if (turn === undefined) return wrong(t('slash.needsText'));
  if (rest === 'start') {
    const { client, sessionId, state } = reach;
    const edited = state.plan?.turnId === turn.id ? state.plan.steps : null;
    const text = (await client.sessions.detail({ sessionId, id: turn.id })).text ?? turn.text;
    await startPlan(client, { sessionId, turnId: turn.id, made: edited ?? planSteps(text), steps: null });
    reach.onSent();
    return done;
  }
  document.querySelector<HTMLElement>('[data-plan-step]')?.focus();
  return info(t('slash.planHere'));
}

async function settle({ client, sessionId }: SlashContext, what: 'take' | 'undo', path: string): Promise<string> {
  const outcome = await client.changes[what]({ sessionId, paths: path === '' ? [] : [path] });
  const { done: settled, refused, merged = [] } = outcome;
  const list = refused.map((one) => `${one.path} (${one.why})`).join(', ');
  const key = what === 'undo' ? 'slash.undone' : 'slash.taken';
  const kept = merged.length === 0 ? '' : ` ${t('changes.merged', { list: merged.join(', ') })}`;
  return `${plural(key, settled.length)}${kept}${list === '' ? '' : ` ${t('changes.refused', { list })}`}`;
}

async function raise({ client, sessionId, state }: SlashContext, rest: string): Promise<SlashOutcome> {
  const usd = Number(rest.replace(/^\$/u, ''));
  if (state.cap === null) return wrong(t('slash.noCap'));
  if (rest === '' || !Number.isFinite(usd) || usd <= 0) return wrong(t('slash.needsUsd'));
  await client.sessions.answerCap({ sessionId, capId: state.cap.capId, decision: { answer: 'raise', usd } });
  return done;
}
