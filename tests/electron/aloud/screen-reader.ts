import type { CDPSession, Page } from 'playwright-core';

/** A node of the accessibility tree, as Chromium passes it to the operating system. */
interface AxNode {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly childIds?: readonly string[];
  readonly ignored: boolean;
  readonly backendDOMNodeId?: number;
  readonly role?: { readonly value?: unknown };
  readonly name?: { readonly value?: unknown };
  readonly description?: { readonly value?: unknown };
  readonly value?: { readonly value?: unknown };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** What a screen reader would say about a page, computed from its accessibility tree alone. */
export interface ScreenReader {
  /** Speaks the element with the focus, after the names of the containers that the focus just entered. */
  focus(): Promise<string>;
  /** Marks the element with the focus as heard. */
  arrive(): void;
  /** What the live regions said since the last call, each with its urgency. */
  news(): Promise<readonly string[]>;
  /** Reads the next heading and continues from there. */
  nextHeading(): Promise<string>;
  /** Reads the next item in page order. */
  next(): Promise<string>;
}

/** The spoken words for roles. A role that is not listed is spoken by its own name. */
const roleWords: Readonly<Record<string, string>> = {
  textbox: 'text field',
  combobox: 'combo box',
  alertdialog: 'alert dialog',
  tabpanel: 'tab panel',
  DisclosureTriangle: 'disclosure',
  StaticText: '',
  paragraph: '',
  RootWebArea: 'page',
};
/** Roles whose name is spoken when the focus enters them. */
const containers = new Set(['alertdialog', 'dialog', 'region', 'log', 'complementary', 'tabpanel', 'form', 'group']);
const read = new Set(['button', 'textbox', 'combobox', 'checkbox', 'tab', 'heading', 'StaticText', 'link', 'img']);

export async function startReader(page: Page): Promise<ScreenReader> {
  const session = await page.context().newCDPSession(page);
  await session.send('Accessibility.enable');
  const heard = new Set<number>();
  let [inside, around] = [new Set<string>(), new Set<string>()];
  let cursor: number | null = null;
  newsIn(await treeOf(session), heard);
  const goOn = async (isWanted: (node: AxNode) => boolean): Promise<string> => {
    const { nodes } = await treeOf(session);
    const at = nodes.findIndex(({ backendDOMNodeId }) => backendDOMNodeId === cursor);
    const node = nodes.slice(at + 1).find(isWanted);
    if (node === undefined) return 'the end of the page';
    cursor = node.backendDOMNodeId ?? null;
    return lineOf(node);
  };
  return {
    async focus() {
      const tree = await treeOf(session);
      const node = tree.nodes.findLast((one) => propertyOf(one, 'focused') === true);
      if (node === undefined) return 'nothing';
      cursor = node.backendDOMNodeId ?? null;
      const places = containersOf(node, tree);
      const entered = places.filter(({ nodeId }) => !inside.has(nodeId));
      around = new Set([...places, node].map(({ nodeId }) => nodeId));
      return [...entered, node].map(lineOf).join('; ');
    },
    arrive: () => {
      inside = around;
    },
    news: async () => newsIn(await treeOf(session), heard),
    nextHeading: () => goOn(({ role }) => role?.value === 'heading'),
    next: () => goOn((node) => read.has(textOf(node.role)) && nameOf(node) !== ''),
  };
}

interface AxTree {
  /** The nodes that are not ignored, in page order. */
  readonly nodes: readonly AxNode[];
  /** All nodes by their id. */
  readonly byId: ReadonlyMap<string, AxNode>;
}

async function treeOf(session: CDPSession): Promise<AxTree> {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const all: readonly AxNode[] = nodes;
  const byId = new Map(all.map((node) => [node.nodeId, node]));
  const ordered: AxNode[] = [];
  const visit = (node: AxNode | undefined): void => {
    if (node === undefined) return;
    if (!node.ignored) ordered.push(node);
    for (const id of node.childIds ?? []) visit(byId.get(id));
  };
  visit(all.find(({ parentId }) => parentId === undefined));
  return { nodes: ordered, byId };
}

function propertyOf({ properties = [] }: AxNode, name: string): unknown {
  return properties.find((property) => property.name === name)?.value.value;
}

const nameOf = ({ name }: AxNode): string => textOf(name);

function textOf(field: { readonly value?: unknown } | undefined): string {
  return typeof field?.value === 'string' ? field.value.trim() : '';
}

/** The containers of a node, outermost first, without the node itself. */
function containersOf(node: AxNode, { byId }: AxTree): readonly AxNode[] {
  const found: AxNode[] = [];
  for (let at = parentOf(node, byId); at !== undefined; at = parentOf(at, byId)) {
    if (!at.ignored && containers.has(textOf(at.role)) && nameOf(at) !== '') found.unshift(at);
  }
  return found;
}

function parentOf({ parentId }: AxNode, byId: ReadonlyMap<string, AxNode>): AxNode | undefined {
  return parentId === undefined ? undefined : byId.get(parentId);
}

/** Name, role, states, value and description, as they are spoken one after the other. */
function lineOf(node: AxNode): string {
  const role = textOf(node.role);
  const level = propertyOf(node, 'level');
  const parts = [
    nameOf(node),
    `${roleWords[role] ?? role}${role === 'heading' ? ` level ${String(level)}` : ''}`,
    ...statesOf(node),
    role === 'textbox' || role === 'combobox' ? textOf(node.value) : '',
    textOf(node.description) === nameOf(node) ? '' : textOf(node.description),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function statesOf(node: AxNode): readonly string[] {
  const states: string[] = [];
  const expanded = propertyOf(node, 'expanded');
  if (expanded !== undefined) states.push(expanded === true ? 'expanded' : 'collapsed');
  if (propertyOf(node, 'selected') === true) states.push('selected');
  if (propertyOf(node, 'pressed') === 'true' || propertyOf(node, 'checked') === 'true') states.push('on');
  if (propertyOf(node, 'disabled') === true) states.push('unavailable');
  return states;
}

function newsIn({ nodes, byId }: AxTree, heard: Set<number>): readonly string[] {
  const wayOf = (node: AxNode): unknown => {
    for (let at: AxNode | undefined = node; at !== undefined; at = parentOf(at, byId)) {
      const live = propertyOf(at, 'live');
      if (live !== undefined) return live;
    }
    return undefined;
  };
  const said: string[] = [];
  for (const node of nodes) {
    if (node.role?.value !== 'StaticText' || node.backendDOMNodeId === undefined) continue;
    const way = wayOf(node);
    if ((way !== 'polite' && way !== 'assertive') || heard.has(node.backendDOMNodeId)) continue;
    heard.add(node.backendDOMNodeId);
    said.push(`${way}: ${nameOf(node)}`);
  }
  return said;
}
