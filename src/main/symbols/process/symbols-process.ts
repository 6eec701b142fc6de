/**
 * The process that reads the names in source files and keeps them. It is separate because a hostile file may make a
 * parser crash, run for long or use all memory, and because reading a large project takes minutes. It gets texts from
 * its parent and reads nothing of a project itself. Its parent may kill it at any time.
 * `symbols-process DATABASE`
 */
import { setFlagsFromString } from 'node:v8';
import { clockNow } from '../../lib/async/clock.ts';
import { refuseConnections } from '../../lib/net/no-connections.ts';
import { endWithParent } from '../../lib/programs/end-with-parent.ts';
import { removeIndexFile } from '../../lib/index-file.ts';
import { openProject, type OpenProject } from './open-project.ts';
import { symbolRequestSchema, type SymbolReply, type SymbolRequest } from './symbol-protocol.ts';
import { isDamage, openTagStore } from './tag-store.ts';

/** More are closed, the longest unused first. */
const heldProjects = 2;

const send = (reply: SymbolReply): void => void process.send?.(reply);

function serve(database: string): void {
  const store = openTagStore(database, clockNow());
  const open = new Map<string, OpenProject>();
  const projectOf = (name: string): OpenProject => {
    const found = open.get(name) ?? openProject(store, name);
    open.delete(name);
    open.set(name, found);
    for (const other of [...open.keys()].slice(0, -heldProjects)) open.delete(other);
    return found;
  };
  process.on('disconnect', () => process.exit(0));
  let last: Promise<unknown> = endWithParent();
  process.on('message', (message) => {
    const request = symbolRequestSchema.parse(message);
    // One at a time, in order.
    last = last
      .then(() => answer(projectOf(request.project), request))
      .then(
        (value) => send({ id: request.id, type: 'done', value: value ?? null }),
        (error: unknown) => {
          send({ id: request.id, type: 'failed', message: String(error) });
          if (!isDamage(error)) return;
          // The next process begins with an empty one.
          removeIndexFile(database);
          process.exit(1);
        },
      );
  });
}

async function answer(project: OpenProject, request: SymbolRequest): Promise<unknown> {
  switch (request.type) {
    case 'sync':
      return project.sync(request.files);
    case 'add':
      return project.add(request.files);
    case 'rank':
      return project.rank(request);
    case 'map':
      return project.map(request);
    case 'find':
      return project.find(request.names);
    case 'outline':
      return project.outline(request.path);
    default:
      return request satisfies never;
  }
}

// V8 compiles busy parts of the grammars twice. The second time costs a fifth of the memory and saves no time. A V8 that
// does not know a flag ignores it.
for (const flag of ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up']) setFlagsFromString(flag);
refuseConnections();
serve(process.argv[2] ?? '');
