import { printable } from '@shared/text/seen-text.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';

/** The conversations of a chat app as a text that a model can read. */
export interface ChatText {
  readonly text: string;
  readonly conversations: number;
}

export interface Conversation {
  readonly title: string;
  readonly app: 'ChatGPT' | 'Claude';
  readonly startedMs: number | null;
  readonly changedMs: number | null;
  readonly messages: readonly Message[];
}

interface Message {
  readonly isUser: boolean;
  readonly text: string;
}

/** A node in the tree of a conversation. An edit or a new answer begins a branch. */
interface Node {
  readonly parent: string | null;
  readonly atMs: number | null;
  readonly value: unknown;
}

/**
 * The conversations in a data export of ChatGPT or Claude, newest first. Null for every other file. Contains the branch
 * that was open last, with what the user and the assistant wrote.
 */
export function chatText(json: string): ChatText | null {
  const entries = entriesOf(json);
  const read = entries.map(conversationOf);
  const shown = read.flatMap((one) => (one === null || one.messages.length === 0 ? [] : [one]));
  if (shown.length === 0) return null;
  const unread = read.filter((one) => one === null).length;
  const newestFirst = shown.sort((one, other) => (other.changedMs ?? 0) - (one.changedMs ?? 0));
  const texts = newestFirst.map(conversationText);
  if (unread > 0)
    texts.unshift(`(Entries of this file that could not be read as conversations: ${unread} of ${entries.length})`);
  return { text: `${texts.join('\n\n')}\n`, conversations: shown.length };
}

/** Most files are no exports, and are not parsed. */
function entriesOf(json: string): readonly unknown[] {
  if (!/^\s*[[{]/u.test(json) || !/"(?:mapping|chat_messages)"/u.test(json)) return [];
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed : [parsed];
  } catch {
    // Invalid JSON is treated like any other text.
    return [];
  }
}

/** One entry of an export. Null: it is not a conversation. */
export function conversationOf(entry: unknown): Conversation | null {
  return chatGptConversation(entry) ?? claudeConversation(entry);
}

export function conversationText({ title, app, startedMs, messages }: Conversation): string {
  const date = startedMs === null ? 'date unknown' : `${new Date(startedMs).toISOString().slice(0, 16)} UTC`;
  return [
    `# ${title}`,
    `A conversation with ${app}, ${date.replace('T', ' ')}`,
    ...messages.map(({ isUser, text }) => `## ${isUser ? 'User' : app}\n\n${text}`),
  ].join('\n\n');
}

function chatGptConversation(entry: unknown): Conversation | null {
  const mapping = fieldOf(entry, 'mapping');
  if (!isRecord(mapping)) return null;
  const nodes = new Map<string, Node>();
  for (const [id, node] of Object.entries(mapping)) {
    const message = fieldOf(node, 'message');
    nodes.set(id, {
      parent: stringOf(fieldOf(node, 'parent')),
      atMs: timeOf(fieldOf(message, 'create_time')),
      value: message,
    });
  }
  const startedMs = timeOf(fieldOf(entry, 'create_time'));
  return {
    title: titleOf(fieldOf(entry, 'title')),
    app: 'ChatGPT',
    startedMs,
    changedMs: timeOf(fieldOf(entry, 'update_time')) ?? startedMs,
    messages: branchOf(nodes, stringOf(fieldOf(entry, 'current_node'))).flatMap(chatGptMessage),
  };
}

/** Leaves out tool calls, which have a recipient, and instructions and files that the app added, which are hidden. */
function chatGptMessage(message: unknown): readonly Message[] {
  const role = fieldOf(fieldOf(message, 'author'), 'role');
  const recipient = fieldOf(message, 'recipient') ?? 'all';
  const metadata = fieldOf(message, 'metadata');
  const content = fieldOf(message, 'content');
  const type = fieldOf(content, 'content_type');
  if (role !== 'user' && role !== 'assistant') return [];
  if (recipient !== 'all' || fieldOf(metadata, 'is_visually_hidden_from_conversation') === true) return [];
  if (type !== 'text' && type !== 'multimodal_text') return [];
  const files = listOf(fieldOf(metadata, 'attachments'))
    .filter((file) => stringOf(fieldOf(file, 'mime_type'))?.startsWith('image/') !== true)
    .map((file) => fileNote(fieldOf(file, 'name')));
  return messageOf(role === 'user', [...listOf(fieldOf(content, 'parts')).map(partText), ...files]);
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const type = fieldOf(part, 'content_type');
  if (type === 'audio_transcription') return stringOf(fieldOf(part, 'text')) ?? '';
  return type === 'image_asset_pointer' ? '(An image, which is not in this file.)' : '';
}

function claudeConversation(entry: unknown): Conversation | null {
  const list = fieldOf(entry, 'chat_messages');
  if (!Array.isArray(list)) return null;
  const messages: readonly unknown[] = list;
  const startedMs = timeOf(fieldOf(entry, 'created_at'));
  return {
    title: titleOf(fieldOf(entry, 'name')),
    app: 'Claude',
    startedMs,
    changedMs: timeOf(fieldOf(entry, 'updated_at')) ?? startedMs,
    messages: claudeBranch(messages, stringOf(fieldOf(entry, 'current_leaf_message_uuid'))).flatMap(claudeMessage),
  };
}

/** Older exports have no parents. If a parent is missing, the order in the file is used. */
function claudeBranch(messages: readonly unknown[], leaf: string | null): readonly unknown[] {
  const nodes = new Map<string, Node>();
  for (const value of messages) {
    const id = stringOf(fieldOf(value, 'uuid'));
    const parent = stringOf(fieldOf(value, 'parent_message_uuid'));
    if (id !== null) nodes.set(id, { parent, atMs: timeOf(fieldOf(value, 'created_at')), value });
  }
  const parents = [...nodes.values()].map(({ parent }) => parent);
  const isTree =
    nodes.size === messages.length &&
    parents.some((parent) => parent !== null) &&
    parents.every((parent) => parent === null || nodes.has(parent) || parent.startsWith('00000000-'));
  return isTree ? branchOf(nodes, leaf) : messages;
}

function claudeMessage(message: unknown): readonly Message[] {
  const sender = fieldOf(message, 'sender');
  if (sender !== 'human' && sender !== 'assistant') return [];
  const blocks = listOf(fieldOf(message, 'content'))
    .filter((block) => fieldOf(block, 'type') === 'text')
    .flatMap((block) => stringOf(fieldOf(block, 'text')) ?? []);
  const said = blocks.length > 0 ? blocks : [stringOf(fieldOf(message, 'text')) ?? ''];
  const pasted = listOf(fieldOf(message, 'attachments')).map((file) =>
    [fileNote(fieldOf(file, 'file_name')), stringOf(fieldOf(file, 'extracted_content')) ?? ''].join('\n').trim(),
  );
  const files = listOf(fieldOf(message, 'files')).map((file) => fileNote(fieldOf(file, 'file_name')));
  return messageOf(sender === 'human', [...said, ...pasted, ...files]);
}

function messageOf(isUser: boolean, parts: readonly string[]): readonly Message[] {
  const kept = parts.map((part) => printable(part).trim()).filter((part) => part !== '');
  return kept.length === 0 ? [] : [{ isUser, text: kept.join('\n\n') }];
}

/** From the leaf, or from the newest node if none is named, up to the root. A cycle ends it. */
function branchOf(nodes: ReadonlyMap<string, Node>, leaf: string | null): readonly unknown[] {
  const seen = new Set<string>();
  const values: unknown[] = [];
  let id = leaf !== null && nodes.has(leaf) ? leaf : newestOf(nodes);
  while (id !== null && !seen.has(id)) {
    seen.add(id);
    const node = nodes.get(id);
    if (node === undefined) break;
    values.push(node.value);
    id = node.parent;
  }
  return values.reverse();
}

function newestOf(nodes: ReadonlyMap<string, Node>): string | null {
  let newest: string | null = null;
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const [id, { atMs, value }] of nodes) {
    if (!isRecord(value) || (atMs ?? 0) < newestMs) continue;
    newest = id;
    newestMs = atMs ?? 0;
  }
  return newest;
}

function titleOf(title: unknown): string {
  const words = printable(stringOf(title) ?? '')
    .replace(/\s+/gu, ' ')
    .trim();
  return words === '' ? 'Untitled' : words;
}

function fileNote(name: unknown): string {
  const words = titleOf(name);
  return words === 'Untitled' ? '(An attached file.)' : `(An attached file: ${words})`;
}

/** ChatGPT writes seconds, Claude writes a date. */
function timeOf(time: unknown): number | null {
  const ms = typeof time === 'number' ? time * 1000 : typeof time === 'string' ? Date.parse(time) : Number.NaN;
  // Only years of four digits.
  return ms >= 0 && ms < 253_402_300_800_000 ? ms : null;
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
