import { describe, expect, it } from 'vitest';
import { textMessage } from '@shared/models/model-messages.ts';
import { thinkingSwitchOf } from '../../../../src/main/models/engine/thinking-switch.ts';
import { createTemplateRenderer } from '../../../../src/main/models/engine/worker/prompt/template-renderer.ts';

/**
 * Catches: thinking that is offered although nothing switches it, thoughts that never end, and thoughts that are lost
 * or kept against the model family's rules.
 */
const turns = `{% for m in messages %}[{{ m.role }}]{% if m.reasoning_content and KEEP %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]OPEN{% endif %}`;
const template = (keep: string, open: string): string => turns.replace('KEEP', keep).replace('OPEN', open);
const offWhenTold = '{% if enable_thinking %}{% else %}<think>\n\n</think>\n\n{% endif %}';
const think = { effort: 'low' as const, mostTokens: 9 };

function written(source: string, thinking?: typeof think): string {
  const renderer = createTemplateRenderer(source, { bos: '', eos: '' });
  if (renderer === null) throw new Error('not read');
  const thought = {
    role: 'assistant' as const,
    parts: [
      { type: 'reasoning' as const, text: 'hm <b>', by: 'llama-cpp/m' },
      { type: 'text' as const, text: 'A' },
    ],
  };
  return renderer
    .render([textMessage('user', 'Q'), thought, textMessage('user', 'R')], '', thinking)
    .map(({ text }) => text)
    .join('');
}

describe('the switch for thinking of a template', () => {
  it('is found by its name, or by the thoughts that the template opens', () => {
    expect(thinkingSwitchOf(template('false', offWhenTold))?.efforts).toEqual(['none', 'low', 'medium', 'high']);
    expect(thinkingSwitchOf(template('false', '<think>\n'))?.efforts[0]).toBe('none');
    expect(thinkingSwitchOf('{{ reasoning_effort }}<|channel|>analysis<|message|> <|end|>')?.efforts).toEqual([
      'low',
      'medium',
      'high',
    ]);
  });

  it('is not found when the template only removes thoughts', () => {
    expect(thinkingSwitchOf("{{ m.content.split('</think>')[-1] }}{{ '<think>' }}")).toBeNull();
    expect(thinkingSwitchOf('{% if enable_thinking %}{% endif %}')).toBeNull();
    expect(thinkingSwitchOf(null)).toBeNull();
  });

  it('opens the thoughts, and says how they end', () => {
    const source = template('false', offWhenTold);
    expect(written(source)).toMatch(/<think>\n\n<\/think>\n\n$/u);
    expect(written(source, think)).toMatch(/\[assistant\]<think>\n$/u);
    expect(createTemplateRenderer(source, { bos: '', eos: '' })?.thoughts).toEqual({
      closing: '</think>',
      after: '\n\n',
      end: '\n</think>\n\n',
      isKept: false,
    });
  });

  it('shows earlier thoughts only if the template asks for them', () => {
    expect(written(template('false', offWhenTold), think)).not.toContain('hm <b>');
    const keeping = template('preserve_thinking', offWhenTold);
    expect(thinkingSwitchOf(keeping)?.keeps).toBe(true);
    expect(written(keeping, think)).toContain('<think>\nhm <b>\n</think>\n\nA');
    expect(written(keeping)).not.toContain('hm <b>');
  });
});
