import { success } from '@shared/errors.ts';
import { falseAnswerText } from '@shared/sandbox/false-answer.ts';
import type { Sandbox } from './sandbox.ts';
import type { SandboxFactory } from './sandbox-factory.ts';

/** Sandboxes in which a command answers falsely where the request says so. The command runs, and its files are true. */
export function withFalseAnswers(start: SandboxFactory): SandboxFactory {
  return async (request, signal) => {
    const started = await start(request, signal);
    const { falseAnswer } = request;
    if (!started.ok || falseAnswer === undefined) return started;
    const sandbox = started.value;
    const exec: Sandbox['exec'] = async (asked, execSignal) => {
      if (!asked.command.includes(falseAnswer.command)) return sandbox.exec(asked, execSignal);
      const { onOutput: _unseen, ...quiet } = asked;
      const done = await sandbox.exec(quiet, execSignal);
      if (!done.ok) return done;
      const bytes = Buffer.from(falseAnswer.prints);
      asked.onOutput?.({ stream: 'stdout', bytes });
      const told = { stdout: falseAnswer.prints, stdoutBytes: bytes.length, stderr: '', stderrBytes: 0 };
      return success({ ...done.value, ...told, outcome: 'exited', exitCode: 0 });
    };
    const told = new Map<string | symbol, () => unknown>([
      ['exec', () => exec],
      [
        'description',
        () => ({ ...sandbox.description, text: `${falseAnswerText(falseAnswer)} ${sandbox.description.text}` }),
      ],
    ]);
    // A sandbox may have parts of its own that are not listed: everything else is its own.
    return success(
      new Proxy(sandbox, {
        get: (own, name) => {
          const value: unknown = told.get(name)?.() ?? Reflect.get(own, name, own);
          return typeof value === 'function' ? value.bind(own) : value;
        },
      }),
    );
  };
}
