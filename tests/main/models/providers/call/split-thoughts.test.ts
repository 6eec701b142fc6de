import { describe, expect, it } from 'vitest';
import { createThoughtSplit } from '../../../../../src/main/models/providers/call/split-thoughts.ts';

/** Catches: thoughts of a model shown as its answer, an answer taken for thoughts, and a lost piece of either. */
function split(pieces: readonly string[]): { readonly thought: string; readonly text: string } {
  const splitter = createThoughtSplit();
  const all = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  const said = { thought: '', text: '' };
  for (const piece of all) {
    if (piece.type === 'was-thought') {
      said.thought += said.text;
      said.text = '';
    } else said[piece.type] += piece.text;
  }
  return said;
}

const cases: readonly (readonly [string, string, string])[] = [
  ['Hello <think>x</think> there', '', 'Hello <think>x</think> there'],
  ['<think>\nWhich file?\n</think>\n\nThis one.', '\nWhich file?\n', 'This one.'],
  ['\n<think></think>\n<tool_call>{"a": "</think>"}', '', '<tool_call>{"a": "</think>"}'],
  ['<think>It never ends', 'It never ends', ''],
  ['<think>a </thin b</think>c', 'a </thin b', 'c'],
  ['<thinking is hard', '', '<thinking is hard'],
  ['<', '', '<'],
  ['', '', ''],
  ['[THINK]a[/THINK]b', 'a', 'b'],
  ['<|channel>thought\na<channel|>b', 'a', 'b'],
  ['<|START_THINKING|>a<|END_THINKING|><|START_ACTION|>[]', 'a', '<|START_ACTION|>[]'],
  ['<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b', 'a', 'b'],
  [
    '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|message|>{}',
    'a',
    '<|start|>assistant<|channel|>commentary to=functions.read_file <|message|>{}',
  ],
  ['<think>a</think>', 'a', ''],
  ['<think>a</think>\n\n', 'a', ''],
  ['<thinking>a</thinking>\nb', 'a', 'b'],
  ['◁think▷a◁/think▷b', 'a', 'b'],
  ['<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>b<|end_of_solution|>', 'a', 'b'],
  // The template wrote the opening mark into the prompt.
  ['I look.\n</think>\n\nAnswer', 'I look.\n', 'Answer'],
  ['I look.</think>Answer', 'I look.', 'Answer'],
  ['</think>\n\nAnswer', '', 'Answer'],
  ['<think>a</think>\nb\n</think>\nc', 'a', 'b\nc'],
  // Thoughts between texts.
  ['Hello.\n<think>x</think>\nBye.', 'x', 'Hello.\nBye.'],
  ['<think>a</think>b\n<think>c</think>d', 'ac', 'b\nd'],
  // A text about the marks.
  ['Write `<think>` first and `</think>` last.', '', 'Write `<think>` first and `</think>` last.'],
  ['The tag </think> ends it.', '', 'The tag </think> ends it.'],
  ['```xml\n<think>a</think>\n</think>\n```\nSo.', '', '```xml\n<think>a</think>\n</think>\n```\nSo.'],
  ['~~~\n</thinking>\n~~~', '', '~~~\n</thinking>\n~~~'],
  ['An open tag:\n<think>\nand no end', '', 'An open tag:\n<think>\nand no end'],
  ['if (a < b) x[0] = "</think>";', '', 'if (a < b) x[0] = "</think>";'],
  ['<|channel|>final<|message|>b<|return|>', '', 'b'],
];

describe('an answer that begins with thoughts', () => {
  it.each(cases)('is split correctly, however it is cut: %j', (answer, thought, text) => {
    for (const size of [1, 2, 3, 5, 8, 1000]) {
      const pieces = Array.from({ length: Math.ceil(answer.length / size) }, (_, at) =>
        answer.slice(at * size, (at + 1) * size),
      );
      expect(split(pieces), `in pieces of ${size}`).toEqual({ thought, text });
    }
  });
});

// Catches: an answer of line breaks alone that takes minutes, because all of them are looked at again with each piece.
it.each(['', '<think>a</think>'])(
  'an answer with white space letter by letter after "%s" is split in linear time',
  (first) => {
    const begun = performance.now();
    const said = split([first, ...Array.from({ length: 200_000 }, () => '\n'), 'b']);
    expect(said.text.trim()).toBe('b');
    expect(performance.now() - begun).toBeLessThan(3_000);
  },
);
