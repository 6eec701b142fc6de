import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Template } from '@huggingface/jinja';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCalls } from '../../src/main/agent/calls/parse-calls.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import { fetchTemplates, templateFolder } from './chat-templates.ts';

/**
 * Catches: a call in the format that a model's family was trained on, which is lost or runs with other arguments. The
 * formats are real: every template that comes with llama.cpp writes the calls itself. Each answer is then spoiled in
 * ways that occur in answers of models.
 */
const tools = builtInTools(discoverTools(), { now: () => 0 });

interface Meant {
  readonly name: string;
  readonly input: Readonly<Record<string, string | number>>;
}

const meant: readonly Meant[] = [
  { name: 'read_file', input: { path: 'src/calc.py' } },
  { name: 'edit_file', input: { path: 'a.ts', old: "if (x) { return '}'; }", new: 'if (!x) {\n  return "{";\n}' } },
  { name: 'write_file', input: { path: 'f.py', content: "def f(d):\n    return d[\"a\"] + '{'  # it's <b>\n" } },
  { name: 'run_command', input: { command: 'grep -rn "TODO: \'x\'" src | head -5', timeoutSeconds: 30 } },
];

type Spoil = (answer: string) => string;

const at =
  (share: number): Spoil =>
  (answer) =>
    answer.slice(0, Math.floor(answer.length * share));

/**
 * Unless they cut the answer, spoils leave the arguments as they are. Only then can a test tell whether they were
 * understood.
 */
const spoils: Readonly<Record<string, Spoil>> = {
  whole: (answer) => answer,
  'behind a sentence': (answer) => `I will do that now.\n\n${answer}`,
  'behind thoughts': (answer) => `<think>\nWhich file? {maybe} "src".\n</think>\n\n${answer}`,
  'before a sentence': (answer) => `${answer}\n\nThen I wait for the result.`,
  'in a fence': (answer) => `\`\`\`\n${answer}\n\`\`\``,
  'with the line breaks of Windows around': (answer) => `\r\n${answer}\r\n`,
  'without its marks for the end of a turn': (answer) => answer.replace(/(?:<\|[^|<>]*\|>|\[EOS\]|\s)+$/u, ''),
  'twice the same': (answer) => `${answer}\n${answer}`,
  'cut at 95 %': at(0.95),
  'cut at 80 %': at(0.8),
  'cut at 60 %': at(0.6),
  'cut at 40 %': at(0.4),
};

const template = (file: string): string => readFileSync(join(templateFolder, file), 'utf8');

/**
 * The call as the family writes it. Null if its template writes none. Arguments are given as an object or a text, as
 * the template needs.
 */
function written(file: string, { name, input }: Meant): string | null {
  for (const given of [input, JSON.stringify(input)]) {
    const call = { id: 'abcdefghi', type: 'function', function: { name, arguments: given } };
    const messages = [
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: '', tool_calls: [call] },
    ];
    try {
      const render = (some: readonly unknown[], asks: boolean): string =>
        new Template(template(file)).render({
          messages: some,
          tools: schemas,
          bos_token: '',
          eos_token: '[EOS]',
          add_generation_prompt: asks,
        });
      const whole = render(messages, false);
      // Templates that open thinking for the model close it before a call, so everything after the question is the
      // answer.
      const before = render(messages.slice(0, 1), false);
      const answer = whole.slice(commonLength(whole, before));
      if (answer.includes(name) && Object.keys(input).every((key) => answer.includes(key))) return answer;
    } catch {
      // The template wants the other form of arguments, or uses more template language than is supported here.
    }
  }
  return null;
}

const schemas = [
  {
    type: 'function',
    function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } },
  },
];

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < right.length && left[length] === right[length]) length += 1;
  return length;
}

type Outcome = 'understood' | 'asked' | 'missed' | 'invented';

function outcome(text: string, call: Meant): Outcome {
  const { calls, errors } = parseCalls([{ type: 'text', text }], 'text', tools);
  if (calls.length === 0) return errors.length > 0 ? 'asked' : 'missed';
  const isMeant = calls.every(({ tool, input }) => tool.name === call.name && isDeepStrictEqual(input, call.input));
  return isMeant ? 'understood' : 'invented';
}

beforeAll(fetchTemplates, 120_000);

const files = (): readonly string[] => readdirSync(templateFolder).filter((file) => file.endsWith('.jinja'));

interface Answer {
  readonly file: string;
  readonly call: Meant;
  readonly text: string;
}

const answers = (calls: readonly Meant[]): readonly Answer[] =>
  files().flatMap((file) =>
    calls.flatMap((call) => {
      const text = written(file, call);
      return text === null ? [] : [{ file, call, text }];
    }),
  );

/** The catalog has no model of these families. */
const notRead: Readonly<Record<string, string>> = {
  'Apertus-8B-Instruct.jinja': 'asked for again: the name of the tool is the key of an object',
  'MiniMax-M3.jinja': 'asked for again: each argument has a tag of its own name',
  'meetkai-functionary-medium-v3.2.jinja': 'not seen: nothing marks a call, the name alone stands before its arguments',
};

/** It writes texts without escaping quotes, so such a call can be read in two ways. */
const asksForQuotes = 'LFM2.5-8B-A1B.jinja';

describe('calls in the form of each family', () => {
  const rows = (): readonly (Answer & { readonly spoil: string; readonly outcome: Outcome })[] =>
    answers(meant).flatMap((answer) =>
      Object.entries(spoils).map(([name, spoil]) => {
        const text = spoil(answer.text);
        return { ...answer, text, spoil: name, outcome: outcome(text, answer.call) };
      }),
    );

  it('are understood or asked for again, and none is lost or run with other arguments', () => {
    const all = rows();
    expect(new Set(all.map(({ file }) => file)).size).toBeGreaterThan(40);
    expect(all.filter((row) => row.outcome === 'invented')).toEqual([]);
    const isLost = ({ file, text, call, outcome: end }: (typeof all)[number]): boolean =>
      // An answer that is cut before the tool's name is not a call yet.
      end === 'missed' && text.includes(call.name) && notRead[file]?.startsWith('not seen') !== true;
    expect(all.filter(isLost)).toEqual([]);
  });

  it('are understood wherever they are complete', () => {
    const whole = rows().filter(({ spoil }) => !spoil.startsWith('cut'));
    const other = whole.filter((row) => row.outcome !== 'understood');
    const hasQuotes = ({ call }: Answer): boolean => call.name !== 'read_file';
    expect(
      other.filter((row) => notRead[row.file] === undefined && !(row.file === asksForQuotes && hasQuotes(row))),
    ).toEqual([]);
    const stillOther = new Set(other.map(({ file }) => file));
    expect(
      Object.keys(notRead).filter((file) => !stillOther.has(file)),
      'read now: take them out of the list',
    ).toEqual([]);
  });

  it('never run a call that is quoted inside another one, wherever the text is cut', () => {
    const content =
      '# Title\n```json\n{"name": "list_files"}\n```\n<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>\n[list_files()]\nTOOL_CALL {"tool": "list_files", "input": {}}\n';
    for (const { file, call, text } of answers([{ name: 'write_file', input: { path: 'a.md', content } }])) {
      const invented = Array.from({ length: text.length }, (_, length) => text.slice(0, length + 1)).find(
        (part) => outcome(part, call) === 'invented',
      );
      expect(invented, file).toBeUndefined();
    }
  });
});
