import type { ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import type { EventOf } from '@shared/events/events.ts';
import type { FormField, ServerForm } from '@shared/tools/server-form.ts';
import { formProblem, formValuesSchema } from '@shared/tools/server-form.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { ApprovalReply } from '../text/approval-text.ts';
import type { PermissionTarget } from './ask-permission.ts';

/**
 * Shows the form of a tool server in the editor, marked as the server's words, or a question of the agent. Any answer that does not fit the form
 * counts as a no, as does an editor without forms.
 */
export async function askForm(
  { client, sessionId, signal }: PermissionTarget,
  { kind, toolCallId, subject, reason = '', text = '' }: EventOf<'approval-requested'>,
  form: ServerForm,
): Promise<ApprovalReply> {
  if (signal.aborted) return { answer: 'deny' };
  try {
    const said = await client.request<'elicitation/create'>(
      methods.client.elicitation.create,
      {
        mode: 'form',
        sessionId,
        toolCallId,
        message:
          kind === 'question'
            ? seenWords([text, reason].filter((one) => one !== '').join('\n'))
            : [
                `The tool server of ${seenWords(subject)} asks you to fill this in. It gets what you type: never a password or a key.`,
                `The server says (not verified): ${seenWords(text)}`,
              ].join('\n'),
        requestedSchema: schemaOf(form),
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (said.action !== 'accept') return { answer: 'deny' };
    const values = formValuesSchema.safeParse('content' in said ? (said.content ?? {}) : {});
    if (!values.success || formProblem(form, values.data) !== null) return { answer: 'deny' };
    return { answer: 'allow', values: values.data };
  } catch {
    // Nobody answered: the editor is gone, has no forms, or the turn was cancelled. A question of the agent ends the
    // turn then, and the next message answers it.
    return kind === 'question' ? { answer: 'allow', values: {} } : { answer: 'deny' };
  }
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
