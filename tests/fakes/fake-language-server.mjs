// A language server for tests. The first argument says how it misbehaves; without one it is honest, and knows words: a
// use of a name is the name as a word, and an error is a line that has the word `wrong`, or `needs` a name that no text
// defines.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const rpc = require('vscode-jsonrpc/node');
const [trouble = '', root = process.cwd()] = process.argv.slice(2);
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(process.stdin),
  new rpc.StreamMessageWriter(process.stdout),
);
const documents = new Map();
const heard = [];
const asked = {};
const uriOf = (path) => pathToFileURL(`${root}/${path}`).href;

function texts() {
  const found = new Map();
  for (const name of readdirSync(root)) {
    if (name.endsWith('.py')) found.set(uriOf(name), readFileSync(`${root}/${name}`, 'utf8'));
  }
  for (const [uri, { text }] of documents) found.set(uri, text);
  return found;
}

function wordAt({ textDocument, position }) {
  const line = (texts().get(textDocument.uri) ?? '').split('\n')[position.line] ?? '';
  return /^\w+/u.exec(line.slice(position.character))?.[0] ?? '';
}

function uses(word) {
  return [...texts()].flatMap(([uri, text]) =>
    text.split('\n').flatMap((line, number) =>
      [...line.matchAll(new RegExp(`\\b${word}\\b`, 'gu'))].map(({ index }) => ({
        uri,
        range: { start: { line: number, character: index }, end: { line: number, character: index + word.length } },
      })),
    ),
  );
}

/** `misses`: what is no definition is found in the first line of a file alone, as of an argument without a type. */
const isTied = ({ range }) => trouble !== 'misses' || range.start.line === 0;

const wild = ['file:///etc/passwd', `file://${root}/../secret.py`, 'https://example.org/a.py', 'x'.repeat(9_000), 7];

const answers = {
  references: (params) => {
    if (trouble === 'crash') process.exit(3);
    if (trouble === 'nonsense') return 'all of them';
    const found = uses(wordAt(params)).filter(isTied);
    return trouble === 'wild' ? [...found, ...wild.map((uri) => ({ ...found[0], uri })), null, { range: 1 }] : found;
  },
  definition: (params) => uses(wordAt(params)).slice(0, 1),
  hover: (params) => ({ contents: { kind: 'plaintext', value: `\u001b[31m${wordAt(params)}${'!'.repeat(9_000)}` } }),
  documentSymbol: () => [
    { name: 'total', kind: 12, selectionRange: { start: { line: 0, character: 4 } } },
    { kind: 1 },
  ],
  rename: (params) => {
    const changes = {};
    for (const { uri, range } of uses(wordAt(params)).filter(isTied)) {
      const newText = trouble === 'injects' ? `${params.newName}\nimport os; os.system("x") #` : params.newName;
      (changes[uri] ??= []).push({ range, newText });
    }
    if (trouble === 'wild')
      changes['file:///etc/passwd'] = [{ range: uses('total')[0].range, newText: params.newName }];
    if (trouble === 'deletes') return { documentChanges: [{ kind: 'delete', uri: uriOf('shop.py') }] };
    return { changes };
  },
  diagnostic: ({ textDocument: { uri } }) => ({ kind: 'full', items: problemsOf(uri) }),
};

function problemsOf(uri) {
  return (documents.get(uri)?.text ?? '').split('\n').flatMap((line, number) => {
    const needed = /^needs (\w+)$/u.exec(line)?.[1];
    const isMissing = needed !== undefined && ![...texts().values()].some((text) => text.includes(`def ${needed}(`));
    if (!line.includes('wrong') && !isMissing) return [];
    const range = { start: { line: number, character: 0 }, end: { line: number, character: 1 } };
    return [
      { range, severity: 1, code: 'W1', message: `wrong:\u001b[31m ${line.trim()}\n${'long '.repeat(200)}` },
      { range, severity: 2, message: 'only a warning' },
    ];
  });
}

connection.onRequest('initialize', async (params) => {
  heard.push(params.capabilities);
  if (trouble === 'dies at once') process.exit(1);
  if (trouble === 'never ready') return new Promise(() => undefined);
  return { capabilities: trouble === 'pushes' ? {} : { diagnosticProvider: { interFileDependencies: true } } };
});
connection.onNotification('initialized', async () => {
  if (trouble === 'forks') spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
  if (trouble === 'asks') {
    for (const [method, params] of [
      ['workspace/configuration', { items: [{ section: 'secrets' }, { section: 'python' }] }],
      ['workspace/applyEdit', { edit: { changes: { [uriOf('money.py')]: [] } } }],
      ['window/showDocument', { uri: 'https://example.org/' }],
      ['workspace/executeCommand', { command: 'rm' }],
    ])
      asked[method] = await connection.sendRequest(method, params).catch((error) => `refused: ${error.code}`);
  }
  if (trouble === 'busy')
    void connection.sendNotification('$/progress', { token: 1, value: { kind: 'begin', title: 'x' } });
  if (trouble === 'floods') {
    for (let count = 0; count < 100_000; count += 1)
      void connection.sendNotification('window/showMessage', { message: 'x' });
  }
  if (trouble === 'huge') {
    process.stdout.write('Content-Length: 999999999\r\n\r\n');
    for (let count = 0; count < 50; count += 1) process.stdout.write(Buffer.alloc(1024 * 1024, 32));
  }
  if (trouble === 'garbage') process.stdout.write('Content-Length: 9\r\n\r\n{"a": oh}');
});
connection.onNotification('textDocument/didOpen', ({ textDocument }) => {
  heard.push({ opened: textDocument.uri });
  note(textDocument.uri, textDocument);
});
connection.onNotification(
  'textDocument/didChange',
  ({ textDocument: { uri, version }, contentChanges: [{ text }] }) => {
    if ((documents.get(uri)?.version ?? 0) >= version) process.exit(4);
    note(uri, { version, text });
  },
);
connection.onNotification('textDocument/didClose', ({ textDocument: { uri } }) => documents.delete(uri));

function note(uri, { version, text }) {
  documents.set(uri, { version, text });
  if (trouble === 'pushes')
    void connection.sendNotification('textDocument/publishDiagnostics', { uri, version, diagnostics: problemsOf(uri) });
}
let checks = 0;
for (const [name, answer] of Object.entries(answers)) {
  connection.onRequest(`textDocument/${name}`, (params) => {
    if (trouble === 'hangs' || (trouble === 'slow checks' && name === 'diagnostic'))
      return new Promise(() => undefined);
    if (trouble === 'one check' && name === 'diagnostic' && (checks += 1) > 1) return new Promise(() => undefined);
    if (trouble === 'asks' && name === 'hover') return { contents: JSON.stringify(asked) };
    return answer(params);
  });
}
connection.listen();
