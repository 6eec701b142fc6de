import reportFunctions from '../../../../resources/programs/tests/report-tests.sh?raw';
import { shellQuote } from '../programs/shell-quote.ts';
import { reportSign, type ReportFormat } from './machine-report.ts';

interface Form {
  /** The words in a command that start this runner. */
  readonly words: RegExp;
  /** The words stand for a function of the shell, which only works where a command begins. */
  readonly isFunction?: boolean;
  /** What the words become. `$R` is the file for its report. Null: they stay as they are. */
  readonly instead: ((words: string) => string) | null;
  /** The files that the run leaves behind, as a glob for `find -path`, or the format of `$R`. */
  readonly report: { readonly format: ReportFormat; readonly files: readonly string[] } | null;
}

const words = (text: string): RegExp => new RegExp(String.raw`(?<=^|[\s;&|(])${text}`, 'u');
/** The path before the name of a program. */
const folder = String.raw`[^\s;&|(]*\/`;
const file = (format: ReportFormat): Form['report'] => ({ format, files: [] });

/** One row for each runner with a form of its own for programs to read. The first that fits is used. */
const forms: readonly Form[] = [
  {
    words: words(String.raw`go test(?=\s|$)(?!.*\s-json)`),
    isFunction: true,
    instead: (found) => `go_test ${found} -json`,
    report: file('go'),
  },
  {
    words: words(String.raw`(?:mvn|${folder}mvnw)(?=\s(?:.*\s)?(?:test|package|verify|install)(?=\s|$))`),
    instead: null,
    report: {
      format: 'junit',
      files: ['*/target/surefire-reports/TEST-*.xml', '*/target/failsafe-reports/TEST-*.xml'],
    },
  },
  {
    words: words(String.raw`(?:gradle|${folder}gradlew)(?=\s(?:.*\s)?(?:\S*:)?(?:test|check|build)(?=\s|$))`),
    instead: null,
    report: { format: 'junit', files: ['*/build/test-results/*/TEST-*.xml'] },
  },
  {
    words: words(String.raw`ctest(?=\s|$)(?!.*--output-junit)`),
    instead: (found) => `${found} --output-junit "$R"`,
    report: file('junit'),
  },
  {
    // The command that we find for a project asks first where PHPUnit lies.
    words: words(String.raw`(?:\$\([^()]{0,200}\))?[^\s;&|(]*phpunit(?=\s|$)(?!.*--log-junit)`),
    instead: (found) => `${found} --log-junit "$R"`,
    report: file('junit'),
  },
  {
    words: words(String.raw`(?:${folder})?rspec(?=\s|$)(?!.*--out)`),
    instead: (found) => `${found} --format progress --format json --out "$R"`,
    report: file('rspec'),
  },
  {
    words: words(String.raw`dotnet test(?=\s|$)(?!.*--logger)`),
    instead: (found) => `${found} --logger "trx;LogFileName=$R"`,
    report: file('trx'),
  },
  // What is compiled and what runs is said on two streams. Only together they say which test is whose.
  { words: words(String.raw`cargo (?:\+\S+ )?test(?=\s|$)`), instead: null, report: null },
];

/** A longer one is a program of its own. The patterns look ahead, so their time grows faster than its length. */
const longestCommand = 4_000;

/**
 * A command that runs the same tests and then prints the runner's own report for programs, after a sign. People and
 * models see what is before it (`withoutReport`); `parseTestOutput` reads what follows. The exit code is the command's.
 * A command of another runner stays as it is.
 */
export function withReport(command: string): string {
  if (command.length > longestCommand) return command;
  const form = forms.find((one) => isStartedBy(command, one));
  if (form === undefined) return command;
  const { instead, report } = form;
  const run = instead === null ? command : command.replace(form.words, instead);
  const format = report?.format ?? 'none';
  const files = report?.files ?? [];
  return [
    `sign=${shellQuote(reportSign)} folder=${shellQuote(folderOf(command))}`,
    reportFunctions.trim(),
    `( ${run}\n)${report === null ? ' 2>&1' : ''}`,
    'code=$?',
    files.length === 0 ? `report_file ${format}` : `report_files ${format} ${files.map(shellQuote).join(' ')}`,
    'exit "$code"',
  ].join('\n');
}

function isStartedBy(command: string, { words: start, isFunction = false }: Form): boolean {
  const found = start.exec(command);
  if (found === null || !isFunction) return found !== null;
  const before =
    command
      .slice(0, found.index)
      .split(/[;&|(]/u)
      .at(-1) ?? '';
  return before.split(/\s+/u).every((word) => word === '' || /^\w+=/u.test(word));
}

/** The folder that a command enters first. */
function folderOf(command: string): string {
  return /^\s*cd ([\w./@+-]+) &&/u.exec(command)?.[1] ?? '';
}
