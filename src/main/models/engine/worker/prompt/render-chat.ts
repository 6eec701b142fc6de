import { unseenImage } from '../../../providers/unseen-image.ts';
import type { Message } from '@shared/models/model-messages.ts';

/** A piece of a prompt: control text of the template, or text that must never be read as control tokens. */
export interface Fragment {
  readonly text: string;
  readonly isControl: boolean;
}

/** A prompt in fragments, and how many of the first ones belong to the system message. */
export interface RenderedChat {
  readonly fragments: readonly Fragment[];
  readonly systemFragments: number;
}

/** The differences between ChatML templates. */
export interface ChatMlStyle {
  /** The system text if none is given. Null: none. */
  readonly defaultSystem: string | null;
  /** The text between the last tool result and the end of its turn. */
  readonly resultsEnd: '' | '\n';
}

/**
 * Renders a conversation as ChatML and begins the answer. The output equals that of the Qwen 2.5 template without
 * its tool list, byte for byte. The text between two control tokens is one fragment, so that it is tokenized as in
 * training ("user\n" and what follows together).
 */
export function renderChatMl(
  messages: readonly Message[],
  prefill: string,
  { defaultSystem, resultsEnd }: ChatMlStyle,
): RenderedChat {
  const writer = createWriter();
  const first = messages[0];
  if (first?.role !== 'system' && defaultSystem !== null) writer.turn('system', defaultSystem);
  if (first?.role === 'system') writer.turn('system', contentOf(first));
  const systemFragments = writer.fragments.length;
  const rest = first?.role === 'system' ? messages.slice(1) : messages;
  for (const [index, message] of rest.entries()) {
    if (message.role !== 'tool') {
      writer.turn(message.role, contentOf(message));
      continue;
    }
    // Consecutive results are one user turn, each in its own tags.
    if (rest[index - 1]?.role === 'tool') continue;
    const last = rest.findIndex((later, position) => position > index && later.role !== 'tool');
    const run = rest.slice(index, last === -1 ? undefined : last);
    const results = run.map((result) => `<tool_response>\n${contentOf(result)}\n</tool_response>`);
    writer.turn('user', `${results.join('\n')}${resultsEnd}`);
  }
  writer.open('assistant', prefill);
  return { fragments: writer.fragments, systemFragments };
}

function createWriter(): {
  readonly fragments: Fragment[];
  turn(role: string, content: string): void;
  open(role: string, content: string): void;
} {
  const fragments: Fragment[] = [];
  const open = (role: string, content: string): void => {
    fragments.push({ text: '<|im_start|>', isControl: true }, { text: `${role}\n${content}`, isControl: false });
  };
  return {
    fragments,
    open,
    turn(role, content) {
      open(role, content);
      fragments.push({ text: '<|im_end|>', isControl: true }, { text: '\n', isControl: false });
    },
  };
}

/** The text of a message as the model reads it. Reasoning is left out, as templates do. */
export function contentOf(message: Message): string {
  const pieces: string[] = [];
  for (const part of message.parts) {
    switch (part.type) {
      case 'text':
      case 'tool-result':
        pieces.push(part.text);
        break;
      case 'tool-call': {
        const call = part.raw ?? JSON.stringify({ tool: part.name, input: part.input });
        // A call that was found in the text is already there.
        if (!pieces.some((piece) => piece.includes(call))) pieces.push(call);
        break;
      }
      case 'image':
        pieces.push(`${unseenImage(part.name)}\n`);
        break;
      case 'reasoning':
        break;
      default:
        part satisfies never;
    }
  }
  return pieces.join('');
}

/** Finds the style by the words of a ChatML template. */
export function chatMlStyleOf(template: string): ChatMlStyle {
  const ends = /<\/tool_response>(\\n|\n)?['"]/.exec(template);
  return { defaultSystem: defaultSystemOf(template), resultsEnd: ends?.[1] === undefined ? '' : '\n' };
}

/** The system text that a ChatML template adds if none is given. Null: none. */
export function defaultSystemOf(template: string): string | null {
  const match = /<\|im_start\|>system(?:\\n|\n)((?:(?!<\|im_start)[^'"{}])+?)<\|im_end\|>/.exec(template);
  return match?.[1] ?? null;
}

/** Whether a model's template is ChatML, which is rendered here. Other templates are rendered by themselves. */
export function isChatMl(template: string | null): boolean {
  return (
    template !== null &&
    template.includes('<|im_start|>') &&
    template.includes('<|im_end|>') &&
    !template.includes('<think>')
  );
}
