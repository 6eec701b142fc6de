import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { Effort } from '@shared/models/model-info.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { interactiveOptions } from '../session/interactive-options.ts';
import { choosablePolicies } from './routing-policies.ts';
import type { ModelPick } from './model-options.ts';
import { optionsOfPick } from './model-options.ts';
import { createSharedValue, setEntry, useSharedValue } from '../window/shared-value.ts';
import { createStoredValue, useStoredValue } from '../window/stored-value.ts';
import { useClient } from '../connection/core-context.ts';

/** Who answers a message, and how it is read. */
export interface SessionChoice {
  readonly pick: ModelPick;
  /** Null: the words of the message decide. */
  readonly mode: TaskMode | null;
  /** The name of an assistant; null: none. */
  readonly assistant: string | null;
}

const efforts: readonly Effort[] = ['none', 'low', 'medium', 'high', 'max'];

/** The choices for the next message of each session, while the window is open. The log has those that were sent. */
const choices = createSharedValue<ReadonlyMap<string, KeptChoice>>(new Map());

/** It counts as long as the session is in the project in which it was made. */
interface KeptChoice extends SessionChoice {
  readonly project: string | null | undefined;
}

/** The choice for the next new task: the last one that was made anywhere. It survives a restart. */
export const nextTaskChoice = createStoredValue('dewpoint-next-task', readChoice, (choice) =>
  JSON.stringify(optionsOfChoice(choice)),
);

const defaultModels: readonly string[] = ['policy', 'local', 'cloud', 'modelOrder'];

/** A default of the models was changed, which is the later choice: the next new task begins with it. */
export function followDefaults(changed: readonly string[]): void {
  if (!changed.some((key) => defaultModels.includes(key))) return;
  nextTaskChoice.set({ ...nextTaskChoice.get(), pick: { policy: null } });
}

/** Without a `change`, the next task chooses as before: what a project or a log says is not the person's choice. */
export function keepChoice(
  sessionId: string,
  choice: SessionChoice,
  {
    project,
    change = {},
  }: { readonly project?: string | null | undefined; readonly change?: Partial<SessionChoice> } = {},
): void {
  setEntry(choices, sessionId, { ...choice, ...change, project });
  chooseForNext(change);
}

function chooseForNext(change: Partial<SessionChoice>): void {
  if (Object.keys(change).length > 0) nextTaskChoice.set({ ...nextTaskChoice.get(), ...change });
}

/** The choice for the next message of a session: what was chosen here, else what the log says was chosen last. */
export function useSessionChoice(
  sessionId: string,
  state: Pick<SessionState, 'chosen' | 'messages' | 'turns' | 'project'>,
): readonly [SessionChoice, (change: Partial<SessionChoice>) => void] {
  const kept = useSharedValue(choices).get(sessionId);
  const { project } = state;
  const isHere = kept !== undefined && kept.project === project;
  const choice = currentChoice(sessionId, state);
  const isSent = state.messages.length > 0;
  useEffect(() => {
    if (isSent && !isHere) setEntry(choices, sessionId, { ...choice, project });
  });
  return [choice, (change) => keepChoice(sessionId, choice, { project, change })];
}

/** The same, without a component. */
export function currentChoice(
  sessionId: string,
  state: Pick<SessionState, 'chosen' | 'turns' | 'project'>,
): SessionChoice {
  const kept = choices.get().get(sessionId);
  return kept !== undefined && kept.project === state.project ? kept : sentChoice(state);
}

/** The same as options of a message, for a button that sends one. Empty for a session that was not shown yet. */
export function keptOptions(sessionId: string): ChosenOptions {
  const choice = choices.get().get(sessionId);
  return choice === undefined ? {} : optionsOfChoice(choice);
}

/** The options of a message that the user sends, whether it begins a session or goes on with one. */
export function messageOptions({ pick, mode, assistant }: SessionChoice) {
  return { ...interactiveOptions, ...optionsOfChoice({ pick, mode, assistant }) };
}

export const effortOfPick = ({ thinking }: ModelPick): Effort | undefined => thinking;

export function optionsOfChoice({ pick, mode, assistant }: SessionChoice): ChosenOptions {
  return {
    ...optionsOfPick(pick),
    ...(mode === null ? {} : { mode }),
    ...(assistant === null ? {} : { assistant }),
  };
}

function sentChoice({
  chosen: last,
  turns,
  project,
}: Pick<SessionState, 'chosen' | 'turns' | 'project'>): SessionChoice {
  // A session that was moved has chosen anew.
  const { assistant = project === undefined ? turns.at(-1)?.assistant : undefined, ...chosen } = last;
  return choiceOf({ ...chosen, ...(assistant === undefined ? {} : { assistant }) });
}

/** The choice that the log says was made for a message. */
export function choiceOf({ mode, assistant, policy, ...models }: ChosenOptions): SessionChoice {
  return { pick: { policy: policy ?? null, ...models }, mode: mode ?? null, assistant: assistant ?? null };
}

/** The choice that an earlier start of the window stored. What cannot be read counts as not chosen. */
export function readChoice(stored: string | null): SessionChoice {
  const read = parsed(stored);
  const { policy, local, cloud, modelOrder, thinking, mode, assistant } = isRecord(read) ? read : {};
  return choiceOf({
    policy: choosablePolicies.find((one) => one === policy),
    local: textOf(local),
    cloud: textOf(cloud),
    modelOrder: textsOf(modelOrder),
    thinking: efforts.find((one) => one === thinking),
    mode: taskModes.find((one) => one === mode),
    assistant: textOf(assistant),
  });
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    // Somebody else wrote it. It counts as nothing chosen.
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

/**
 * The choice for the next new task, and a function that changes it. In a project that chooses an assistant or a mode for
 * its talks, those count until the person chooses something else. They count nowhere else.
 */
export function useNextChoice(project: string): readonly [SessionChoice, (change: Partial<SessionChoice>) => void] {
  const client = useClient();
  const [next] = useStoredValue(nextTaskChoice);
  const [made, setMade] = useState<{ readonly project: string; readonly change: Partial<SessionChoice> } | null>(null);
  const heads = useQuery({
    queryKey: ['settings', 'projects', 'records'],
    queryFn: ({ signal }) => client.projects.records(undefined, { signal }),
  });
  const head = heads.data?.find(({ key }) => key === project);
  const change = made?.project === project ? made.change : {};
  const choose = (chosen: Partial<SessionChoice>): void => {
    setMade({ project, change: { ...change, ...chosen } });
    chooseForNext(chosen);
  };
  const usual = { assistant: head?.assistant ?? next.assistant, mode: head?.mode ?? next.mode };
  return [{ ...next, ...usual, ...change }, choose];
}
