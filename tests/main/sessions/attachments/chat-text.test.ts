import { describe, expect, it } from 'vitest';
import { chatText } from '../../../../src/main/sessions/attachments/chat-text.ts';

const read = (value: unknown) => chatText(JSON.stringify(value));

const node = (parent: string | null, role: string, parts: readonly unknown[], more: object = {}) => ({
  parent,
  message: { author: { role }, create_time: 1, content: { content_type: 'text', parts }, ...more },
});
const chatGpt = (mapping: object, more: object = {}) => ({
  title: 'A question',
  create_time: 1_767_623_400,
  mapping,
  ...more,
});
const branched = chatGpt(
  {
    root: { parent: null, message: null, children: ['a'] },
    a: node('root', 'system', ['Be kind.']),
    b: node('a', 'user', ['What is 2 + 2?']),
    c: node('b', 'assistant', ['Five.']),
    d: node('b', 'assistant', ['Four.']),
  },
  { current_node: 'd' },
);

const said = (sender: string, text: string, more: object = {}) => ({ sender, text, ...more });
const claude = (messages: readonly unknown[], more: object = {}) => ({
  name: 'Rivers',
  created_at: '2026-02-03T04:05:06.789Z',
  chat_messages: messages,
  ...more,
});

describe('an export of ChatGPT', () => {
  // Catches: answers that the user discarded, or hidden instructions, in the text for a model.
  it('becomes the branch that was open last, with title, date and speakers', () => {
    expect(read([branched])).toEqual({
      conversations: 1,
      text: '# A question\n\nA conversation with ChatGPT, 2026-01-05 14:30 UTC\n\n## User\n\nWhat is 2 + 2?\n\n## ChatGPT\n\nFour.\n',
    });
    expect(read(branched)).toEqual(read([branched]));
  });

  // Catches: searches, thoughts and hidden context that pass for words of the conversation.
  it('loses tools, thoughts and hidden parts, and marks where an image or a file was', () => {
    const image = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://1' };
    const voice = { content_type: 'audio_transcription', text: 'Spoken words' };
    const mapping = {
      a: node(null, 'user', ['context'], { metadata: { is_visually_hidden_from_conversation: true } }),
      b: node('a', 'user', [], {
        content: { content_type: 'multimodal_text', parts: [image, 'What is this?', voice] },
        metadata: { attachments: [{ name: 'a.png', mime_type: 'image/png' }, { name: 'notes.txt' }] },
      }),
      c: node('b', 'assistant', ['search("cats")'], { recipient: 'web' }),
      d: node('c', 'tool', ['Results']),
      e: node('d', 'assistant', [], { content: { content_type: 'thoughts', thoughts: [{ content: 'Hm' }] } }),
      f: node('e', 'assistant', ['A cat.'], { recipient: 'all' }),
    };
    expect(read(chatGpt(mapping, { current_node: 'f' }))?.text.split('UTC\n\n')[1]).toBe(
      '## User\n\n(An image, which is not in this file.)\n\nWhat is this?\n\nSpoken words\n\n(An attached file: notes.txt)\n\n## ChatGPT\n\nA cat.\n',
    );
  });

  it('is sorted newest first without empty chats, and counts those that cannot be read', () => {
    const old = chatGpt({ a: node(null, 'user', ['Old']) }, { title: 'Old one', create_time: 5, update_time: 6 });
    const late = chatGpt({ a: node(null, 'user', ['Late']) }, { title: 'Late one', create_time: 1, update_time: 9 });
    const found = read([old, chatGpt({}), 'no conversation', late]);
    expect(found?.conversations).toBe(2);
    expect(found?.text.match(/^(?:# .*|\(.*)$/gmu)).toEqual([
      '(Entries of this file that could not be read as conversations: 1 of 4)',
      '# Late one',
      '# Old one',
    ]);
  });
});

describe('an export of Claude', () => {
  it('keeps what both sides wrote in order, with pasted texts and file names', () => {
    const messages = [
      said('human', 'flat', {
        content: [{ type: 'text', text: 'Where is the Rhine?' }],
        attachments: [{ file_name: 'paste.txt', extracted_content: 'A long text' }],
        files: [{ file_name: 'map.pdf' }],
      }),
      said('assistant', 'not supported here', {
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'tool_use', name: 'search', input: {} },
          { type: 'text', text: 'In Europe.' },
        ],
      }),
      said('human', 'Thanks'),
    ];
    expect(read([claude(messages)])?.text).toBe(
      '# Rivers\n\nA conversation with Claude, 2026-02-03 04:05 UTC\n\n## User\n\nWhere is the Rhine?\n\n(An attached file: paste.txt)\nA long text\n\n(An attached file: map.pdf)\n\n## Claude\n\nIn Europe.\n\n## User\n\nThanks\n',
    );
  });

  // Catches: an edited question that appears beside the one that replaced it.
  it('becomes the newest branch, or all of it where a parent message is missing', () => {
    const root = '00000000-0000-4000-8000-000000000000';
    const at = (day: number, uuid: string, parent: string) => ({
      uuid,
      parent_message_uuid: parent,
      created_at: `2026-01-0${day}T00:00:00Z`,
    });
    const messages = (parent: string) => [
      said('human', 'First', at(1, 'a', root)),
      said('assistant', 'Dropped', at(2, 'b', 'a')),
      said('assistant', 'Kept', at(3, 'c', parent)),
    ];
    const wordsOf = (found: ReturnType<typeof read>) => found?.text.match(/First|Dropped|Kept/gu);
    expect(wordsOf(read(claude(messages('a'))))).toEqual(['First', 'Kept']);
    expect(wordsOf(read(claude(messages('a'), { current_leaf_message_uuid: 'b' })))).toEqual(['First', 'Dropped']);
    expect(wordsOf(read(claude(messages('gone'))))).toEqual(['First', 'Dropped', 'Kept']);
  });
});

describe('a file that only looks like an export', () => {
  it('is not read as one', () => {
    for (const value of [
      [],
      {},
      { mapping: 5 },
      { mapping: { a: { type: 'keyword' } } },
      { chat_messages: 'x' },
      [chatGpt({})],
    ])
      expect(read(value)).toBeNull();
    expect(chatText('{"mapping": {"a": ')).toBeNull();
    expect(chatText('Notes about "mapping" and {braces}.')).toBeNull();
  });

  // Catches: a crash, an endless walk or a polluted prototype because of a hostile file.
  it('is read without harm when parents form a circle or nesting is deep', () => {
    const circle = { a: node('b', 'user', ['Round']), b: node('a', 'assistant', ['and round']) };
    expect(read(chatGpt(circle, { current_node: 'b' }))?.text).toContain('## User\n\nRound\n\n## ChatGPT\n\nand round');
    const wrong = `[{"title":{},"create_time":1e300,"current_node":7,"mapping":{"__proto__":{"parent":"constructor","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":[null,3,{},"Hi\\u0000\\u001b[2J\\u202e there"]}}},"x":null,"y":[]}}, {"chat_messages":[null,1,{"sender":"human","text":{},"content":"x","files":[null]}]}]`;
    expect(chatText(wrong)?.text).toContain(
      '# Untitled\n\nA conversation with ChatGPT, date unknown\n\n## User\n\nHi there',
    );
    expect(Object.hasOwn(Object.prototype, 'parent')).toBe(false);
    const deep = '['.repeat(200_000);
    expect(chatText(`{"mapping":${deep}${deep.replaceAll('[', ']')}}`)).toBeNull();
  });
});
