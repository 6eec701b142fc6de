import type { ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import type { EventOf } from '@shared/events/events.ts';
import type { FormField, ServerForm } from '@shared/tools/server-form.ts';
import { formProblem, formValuesSchema } from '@shared/tools/server-form.ts';
import { seenLines, seenWords } from '@shared/text/seen-text.ts';
import type { ApprovalReply } from '../text/approval-text.ts';
import type { PermissionTarget } from './ask-permission.ts';

/**
 * Shows the form of a tool server in the editor, marked as the server's words, a question of the agent, or a line that
 * the agent proposes. For the question, an answer that does not fit leaves it open: the turn ends, and the next message
 * answers it. For the others it counts as a no, as does an editor without forms.
 */
export async function askForm(
  { client, sessionId, signal }: PermissionTarget,
  question: EventOf<'approval-requested'>,
  form: ServerForm,
): Promise<ApprovalReply> {
  const { kind, toolCallId } = question;
  if (signal.aborted) return { answer: 'deny' };
  const unfit: ApprovalReply = kind === 'question' ? { answer: 'allow', values: {} } : { answer: 'deny' };
  try {
    const said = await client.request<'elicitation/create'>(
      methods.client.elicitation.create,
      {
        mode: 'form',
        sessionId,
        toolCallId,
        message: messageOf(question),
        requestedSchema: schemaOf(form),
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (said.action === 'decline') return { answer: 'deny' };
    if (said.action !== 'accept') return unfit;
    const read = formValuesSchema.safeParse('content' in said ? (said.content ?? {}) : {});
    if (!read.success) return unfit;
    // Some editors send each field that was left empty.
    const values =
      kind === 'question' ? Object.fromEntries(Object.entries(read.data).filter(([, one]) => one !== '')) : read.data;
    return formProblem(form, values) === null ? { answer: 'allow', values } : unfit;
  } catch {
    // Nobody answered: the editor is gone, has no forms, or the turn was cancelled.
    return unfit;
  }
}

function messageOf({ kind, subject, reason = '', text = '' }: EventOf<'approval-requested'>): string {
  if (kind === 'question') return seenLines([text, reason].filter((one) => one !== '').join('\n'));
  if (kind === 'memory') return seenLines(['The agent proposes a line to keep for later tasks.', reason].join('\n'));
  return [
    `The tool server of ${seenWords(subject)} asks you to fill this in. It gets what you type: never a password or a key.`,
    `The server says (not verified): ${seenLines(text)}`,
  ].join('\n');
}

function schemaOf(form: ServerForm): ElicitationSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(form.map((field) => [field.name, propertyOf(field)])),
    required: form.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
  };
}

function propertyOf(field: FormField): ElicitationPropertySchema {
  const words = { title: seenWords(field.title), description: seenWords(field.description) };
  switch (field.type) {
    case 'text':
      return {
        ...words,
        type: 'string',
        format: field.format,
        minLength: field.least,
        maxLength: field.most,
        default: field.preset,
      };
    case 'number': {
      const range = { minimum: field.least, maximum: field.most, default: field.preset };
      return { ...words, type: field.isWhole ? 'integer' : 'number', ...range };
    }
    case 'yes-no':
      return { ...words, type: 'boolean', default: field.preset };
    case 'one-of':
      return { ...words, type: 'string', oneOf: choicesOf(field), default: field.preset };
    case 'some-of':
      return {
        ...words,
        type: 'array',
        items: { anyOf: choicesOf(field) },
        minItems: field.least,
        maxItems: field.most,
        default: field.preset,
      };
    default:
      return field satisfies never;
  }
}

function choicesOf({ choices }: Extract<FormField, { choices: unknown }>): { const: string; title: string }[] {
  return choices.map(({ value, title }) => ({ const: value, title: seenWords(title) }));
}
