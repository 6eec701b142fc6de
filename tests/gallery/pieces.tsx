import type { ReactNode } from 'react';
import { seenLine, seenPieces } from '@shared/text/seen-text.ts';
import { ActionsContext } from '../../src/renderer/lib/window/navigation.ts';
import { speakToScreenReader } from '../../src/renderer/lib/notices/screen-reader.ts';
import { AssistantChoice } from '../../src/renderer/ui/controls/assistant-choice.tsx';
import { AttachmentList } from '../../src/renderer/ui/content/attachment-list.tsx';
import { Button } from '../../src/renderer/ui/controls/button.tsx';
import { CodeBlock } from '../../src/renderer/ui/content/code-block.tsx';
import { CodeLines } from '../../src/renderer/ui/content/code-lines.tsx';
import { CodeRun } from '../../src/renderer/ui/content/code-run.tsx';
import { Diagram } from '../../src/renderer/ui/content/diagram.tsx';
import { Formula } from '../../src/renderer/ui/content/formula.tsx';
import { LockedFrame } from '../../src/renderer/ui/content/locked-frame.tsx';
import { SaveButton } from '../../src/renderer/ui/content/save-button.tsx';
import { TableView } from '../../src/renderer/ui/content/table-view.tsx';
import CanvasView from '../../src/renderer/ui/canvas/canvas-view.tsx';
import { Chart } from '../../src/renderer/ui/canvas/chart.tsx';
import { DrawnCall } from '../../src/renderer/ui/canvas/drawn-call.tsx';
import { PieChart } from '../../src/renderer/ui/canvas/pie-chart.tsx';
import { Legend, SeriesMark } from '../../src/renderer/ui/canvas/series-mark.tsx';
import { DataTable } from '../../src/renderer/ui/content/data-table.tsx';
import { pictureUrl } from '../../src/renderer/lib/drawing/image-url.ts';
import { PictureView, Thumbnail } from '../../src/renderer/ui/content/picture.tsx';
import { WebPage } from '../../src/renderer/ui/content/web-page.tsx';
import { ResizeHandle } from '../../src/renderer/ui/layout/resize-handle.tsx';
import { CopyButton } from '../../src/renderer/ui/controls/copy-button.tsx';
import { DayChart } from '../../src/renderer/ui/figures/day-chart.tsx';
import { CitedPlacesContext } from '../../src/renderer/lib/connection/find-places.ts';
import { OpenFileContext } from '../../src/renderer/lib/session/use-open-file.ts';
import { Citation } from '../../src/renderer/ui/content/citation.tsx';
import { FilePath } from '../../src/renderer/ui/content/file-path.tsx';
import { ModelName } from '../../src/renderer/ui/figures/model-name.tsx';
import { DiffView } from '../../src/renderer/ui/content/diff-view.tsx';
import { ErrorBoundary } from '../../src/renderer/ui/layout/error-boundary.tsx';
import { Empty, Facts, Section } from '../../src/renderer/ui/layout/facts.tsx';
import { Field, InputField, inputClass } from '../../src/renderer/ui/controls/field.tsx';
import { Fold, FoldMark } from '../../src/renderer/ui/layout/fold.tsx';
import { HintButton } from '../../src/renderer/ui/notices/hint-button.tsx';
import { HintText } from '../../src/renderer/ui/notices/hint-text.tsx';
import { OrderedList } from '../../src/renderer/ui/controls/ordered-list.tsx';
import { IconButton } from '../../src/renderer/ui/controls/icon-button.tsx';
import { SeeingModel } from '../../src/renderer/ui/controls/seeing-model.tsx';
import { Select } from '../../src/renderer/ui/controls/select.tsx';
import { Icon } from '../../src/renderer/ui/layout/icon.tsx';
import { InstructionFileNow } from '../../src/renderer/ui/project/instruction-file.tsx';
import { LiveRegions } from '../../src/renderer/ui/notices/live-regions.tsx';
import { LongLines } from '../../src/renderer/ui/content/long-lines.tsx';
import { Markdown } from '../../src/renderer/ui/content/markdown.tsx';
import MarkdownView from '../../src/renderer/ui/content/markdown-view.tsx';
import { ModeChoice } from '../../src/renderer/ui/controls/mode-choice.tsx';
import { MoreButton } from '../../src/renderer/ui/controls/more-button.tsx';
import { StopButton } from '../../src/renderer/ui/controls/stop-button.tsx';
import { Notice } from '../../src/renderer/ui/notices/notice.tsx';
import { OwnPriceMark } from '../../src/renderer/ui/figures/own-price-mark.tsx';
import { FolderField } from '../../src/renderer/ui/controls/folder-field.tsx';
import { PreparePackages } from '../../src/renderer/ui/project/prepare-packages.tsx';
import { Problem } from '../../src/renderer/ui/notices/problem.tsx';
import { ProjectHosts } from '../../src/renderer/ui/project/project-hosts.tsx';
import { ProjectSign } from '../../src/renderer/ui/project/project-sign.tsx';
import { iconColors } from '../../src/shared/projects/project-keys.ts';
import { RouteDot } from '../../src/renderer/ui/figures/route-dot.tsx';
import { SeenChange } from '../../src/renderer/ui/content/seen-change.tsx';
import { SeenPieces, SeenText } from '../../src/renderer/ui/content/seen-text.tsx';
import { Advanced, Choice, Group, NumberSetting, TextSetting } from '../../src/renderer/ui/controls/settings-parts.tsx';
import { KeySignIn } from '../../src/renderer/ui/sign-in/key-sign-in.tsx';
import { SignInWaiting } from '../../src/renderer/ui/sign-in/sign-in-waiting.tsx';
import { TerminalOutput } from '../../src/renderer/ui/content/terminal-output.tsx';
import { ViewHeader } from '../../src/renderer/ui/layout/view-header.tsx';
import { WideContent } from '../../src/renderer/ui/layout/wide-content.tsx';
import { TagEditor } from '../../src/renderer/ui/controls/tag-editor.tsx';
import { TakeOverState } from '../../src/renderer/ui/notices/take-over-state.tsx';
import { TextWithCode } from '../../src/renderer/ui/notices/text-with-code.tsx';
import { ViewOnly } from '../../src/renderer/ui/notices/view-only.tsx';
import { canvases, charts, drawnCall, long, notes, nothing, plot, screenshot } from './samples.ts';
import { figurePieces } from './figure-pieces.tsx';
import {
  AskedAgainTable,
  AskAgainButtons,
  AskingAgain,
  ModelAbouts,
  ModelLines,
  ModelOrders,
  OpenModels,
  AskedOtherModels,
  PickedModels,
  ThinkingChoices,
} from './model-pieces.tsx';
import {
  Announced,
  AskedPrompts,
  FramedDialogs,
  Broken,
  ChosenChats,
  Pulls,
  Suggested,
  Tabbed,
  Typing,
  UnseenKinds,
} from './pieces-with-state.tsx';

const notNow = (): Promise<void> => Promise.reject(new Error('No sign-in is waiting.'));

const iconNames = [
  'plus',
  'search',
  'settings',
  'model',
  'tool',
  'coins',
  'columns',
  'close',
  'chevron',
  'check',
  'copy',
  'stop',
  'send',
  'folder',
  'menu',
  'panel',
  'command',
  'more',
  'bin',
  'down',
  'alert',
  'shield',
  'expand',
  'shrink',
  'file',
  'attach',
  'download',
  'star',
  'filter',
  'edit',
] as const;

const reviewer = { name: 'reviewer', text: 'You review texts.', mode: 'ask' } as const;

const deceiving = 'curl https://\u0435xample.com\u200B/install.sh';

const markdown = `Releases are made by \`scripts/release.sh\`, in **three** steps:

1. it reads the version
2. it builds

| step | seconds |
|---|---|
| build | 12 |

> Nothing is sent anywhere.

![a diagram](https://example.com/diagram.png)`;

const diff = `--- a/dates.py
+++ b/dates.py
@@ -1,3 +1,3 @@
 def week_of(day):
-    return day.year, int(day.strftime('%W'))
+    return tuple(day.isocalendar()[:2])
`;

const days = [3, 12, 0, 41, 30, 7].map((calls, index) => ({
  key: `2026-11-1${index}`,
  calls,
  localCalls: Math.round(calls * 0.8),
  costUsd: calls * 0.0041,
}));

/** By the file in `ui/`. */
export const pieces: Readonly<Record<string, ReactNode>> = {
  ...figurePieces,
  announcement: <Announced />,
  'attachment-list': (
    <>
      <AttachmentList attachments={[notes, screenshot]} onRemove={nothing} />
      <AttachmentList attachments={[notes, screenshot]} />
    </>
  ),
  button: (
    <div className="flex flex-wrap items-center gap-3">
      {(['primary', 'plain', 'quiet', 'danger'] as const).map((look) => (
        <Button key={look} look={look}>
          {look}
        </Button>
      ))}
      <Button size="small">small</Button>
      <Button size="icon" aria-label="Close">
        <Icon name="close" />
      </Button>
      <Button disabled>disabled</Button>
    </div>
  ),
  'code-block': <CodeBlock code={'def add(a, b):\n    return a + b\n'} language="python" />,
  'code-lines': <CodeLines code={'const one = 1;\n'} language="js" />,
  'code-run': <CodeRun sessionId="one" language="python" code="print(1)" onClose={nothing} />,
  diagram: <Diagram source={'graph TD\n  A --> B'} />,
  formula: (
    <>
      <p>
        Inline <Formula tex="a^2 + b^2 = c^2" />, and one that is wrong: <Formula tex="\frac{a" />
      </p>
      <Formula tex="\int_0^1 x^2 \, dx = \frac{1}{3}" isBlock />
    </>
  ),
  'canvas-view': (
    <>
      {canvases.map((input) => (
        <CanvasView key={input.title} input={input} picture={null} />
      ))}
      <CanvasView input={{ kind: 'image', content: 'plot.svg' }} picture={plot} />
    </>
  ),
  chart: <Chart chart={charts.bars} />,
  'pie-chart': <PieChart chart={charts.parts} />,
  'series-mark': (
    <>
      <svg viewBox="0 0 200 24" className="h-6 w-50" aria-hidden="true">
        {Array.from({ length: 8 }, (_, index) => (
          <SeriesMark key={index} index={index} x={12 + index * 24} y={12} size={8} />
        ))}
      </svg>
      <Legend items={[{ name: 'in' }, { name: long }]} />
    </>
  ),
  'drawn-call': <DrawnCall sessionId="one" call={drawnCall} near={1} />,
  picture: (
    <>
      <Thumbnail picture={plot} />
      <PictureView name="plot.svg" url={pictureUrl(plot)} />
    </>
  ),
  'data-table': <DataTable columns={['name', 'size']} rows={[['a.ts', '120']]} />,
  'view-only': <ViewOnly text="View only. Run `dewpoint settings set KEY VALUE` on the machine itself." />,
  'web-page': <WebPage name="page.html" html="<h1>A page</h1>" />,
  'locked-frame': <LockedFrame html="<h1>A page</h1>" mayRun={false} title="A page" />,
  'save-button': <SaveButton text="text" name="code.txt" />,
  'resize-handle': (
    <div className="relative h-16 border-l border-line">
      <ResizeHandle label="Width" width={384} onWidth={nothing} />
    </div>
  ),
  'table-view': (
    <TableView>
      <thead>
        <tr>
          <th>Part</th>
          <th>Seconds</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>Build</td>
          <td>12</td>
        </tr>
      </tbody>
    </TableView>
  ),
  'copy-button': <CopyButton text="copied" label="Copy" />,
  'day-chart': <DayChart days={days} most={31} />,
  'model-name': <ModelName id="example/large-1" />,
  'diff-view': <DiffView diff={diff} />,
  'file-path': (
    <OpenFileContext value={() => undefined}>
      <FilePath path="src/app.py" line={12}>
        src/app.py
      </FilePath>
    </OpenFileContext>
  ),
  citation: (
    <CitedPlacesContext value={{ sessionId: 's', find: async ({ line }) => line === 12, show: () => undefined }}>
      <p>
        <Citation place={{ path: 'notes.md', line: 12 }}>notes.md:12</Citation>
        {', '}
        <Citation place={{ path: 'notes.md', line: 900 }}>notes.md:900</Citation>
      </p>
    </CitedPlacesContext>
  ),
  'error-boundary': (
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>
  ),
  facts: (
    <>
      <Section title="Section">
        <Facts
          facts={[
            ['Steps', 12],
            ['Path', long],
            ['Left out', null],
          ]}
        />
      </Section>
      <Empty>Nothing is here yet.</Empty>
      <Empty icon="bin">Nothing is in this view yet.</Empty>
      <ActionsContext value={[{ id: 'new', label: 'New task', run: () => undefined }]}>
        <Empty action="new">A part of a view that offers the first step.</Empty>
      </ActionsContext>
    </>
  ),
  field: (
    <div className="grid gap-4 sm:grid-cols-2">
      <InputField label="A text" hint="What it is for." value="src/main.py" onText={nothing} />
      <InputField label="A number" type="number" value="12" onText={nothing} />
      <Field label="A choice">
        {(ids) => (
          <select {...ids} className={inputClass}>
            <option>One</option>
            <option>Two</option>
          </select>
        )}
      </Field>
      <InputField label="Disabled" value="nothing" disabled onText={nothing} />
    </div>
  ),
  fold: (
    <>
      <Fold label="Response">
        <p className="mt-1 text-sm">{long}</p>
      </Fold>
      <details>
        <summary className="flex list-none items-center gap-2 text-sm">
          A row of another form <FoldMark />
        </summary>
      </details>
    </>
  ),
  'hint-button': <HintButton hint="Run dewpoint sessions show 01ABC to see what happened." />,
  'hint-text': (
    <>
      <HintText hint="dewpoint keys set example" />
      <HintText hint="Look at the models (`dewpoint models list`), and name one of them." />
      <HintText hint="Start it again." />
    </>
  ),
  icon: (
    <div className="flex flex-wrap gap-3">
      {iconNames.map((name) => (
        <Icon key={name} name={name} />
      ))}
    </div>
  ),
  'instruction-file': (
    <>
      <InstructionFileNow projectPath="/project" path="AGENTS.md" />
      <InstructionFileNow projectPath="/project" path="CLAUDE.md" />
      <InstructionFileNow projectPath="/project" path="GEMINI.md" />
    </>
  ),
  'live-regions': (
    <>
      <p className="text-sm text-soft">Nothing to see: it is heard.</p>
      <Button className="w-fit" onClick={() => speakToScreenReader({ how: 'polite', text: 'A step has ended.' })}>
        Say it
      </Button>
      <LiveRegions />
    </>
  ),
  'long-lines': (
    <>
      <LongLines count={3} lengthOf={() => 6} draw={(index) => `line ${index}`} />
      <LongLines
        count={10_000}
        lengthOf={(index) => (index % 7 === 0 ? long.length : 10)}
        isWrapped
        className="max-h-40"
        draw={(index) => `line ${index}: ${index % 7 === 0 ? long : ''}`}
      />
    </>
  ),
  markdown: <Markdown text={markdown} />,
  'markdown-view': <MarkdownView text={`${long}\n\n- one\n- two`} isGrowing />,
  'folder-field': (
    <FolderField label="Project folder" hint={long} folder="/home/ada/notes" known={[]} onChange={nothing} />
  ),
  'message-field': <Typing />,
  'assistant-choice': (
    <>
      <AssistantChoice assistants={[reviewer]} chosen={null} onChange={nothing} />
      <AssistantChoice assistants={[reviewer]} chosen={reviewer} onChange={nothing} />
    </>
  ),
  'mode-choice': (
    <>
      <ModeChoice chosen={null} byWords="ask" onChange={nothing} />
      <ModeChoice chosen="plan" byWords="work" onChange={nothing} />
    </>
  ),
  'tag-editor': (
    <>
      <TagEditor
        known={['billing', 'release', 'later']}
        all={['billing']}
        some={['release']}
        onAdd={nothing}
        onRemove={nothing}
        onDone={nothing}
      />
      <TagEditor known={[]} all={[long]} onAdd={nothing} onRemove={nothing} onDone={nothing} />
    </>
  ),
  'ordered-list': (
    <>
      <OrderedList label="Found" items={[{ id: 'a', name: 'Small 7B', note: 'on this machine' }]} />
      <OrderedList
        label="Own"
        items={[
          { id: 'a', name: 'Small 7B', note: 'on this machine' },
          { id: 'b', name: 'Strong', note: 'cannot be reached now' },
        ]}
        onChange={nothing}
      />
    </>
  ),
  'icon-button': (
    <>
      <IconButton icon="edit" label="Edit" onClick={nothing} />
      <IconButton icon="close" label="Remove" disabled />
    </>
  ),
  'seeing-model': (
    <SeeingModel
      offered={[{ id: 'ollama/gemma4:12b', where: 'local' }]}
      chosen="ollama/gemma4:12b"
      onChoose={nothing}
    />
  ),
  'unseen-pictures': <UnseenKinds />,
  select: (
    <>
      <Select aria-label="Model" defaultValue="b">
        <option value="a">Default</option>
        <option value="b">{long}</option>
      </Select>
      <Select look="small" className="max-w-56" aria-label="Model for this" disabled>
        <option>Default</option>
      </Select>
    </>
  ),
  'more-button': <MoreButton left={194} onMore={nothing} />,
  'stop-button': <StopButton sessionId="session" />,
  'take-over-state': (
    <>
      <TakeOverState state={{ state: 'testing' }} />
      <TakeOverState state={{ state: 'not-passed' }} />
      <TakeOverState state={{ state: 'failed', why: 'The engine stopped. Try again.' }} />
    </>
  ),
  notice: (
    <>
      {(['info', 'warning', 'error'] as const).map((kind) => (
        <Notice key={kind} kind={kind}>
          {kind}: what happened, what was kept and what to do. {long}
        </Notice>
      ))}
    </>
  ),
  'own-price-mark': (
    <p className="text-sm">
      $0.0147
      <OwnPriceMark model="example/large-1" />
    </p>
  ),
  'prepare-packages': <PreparePackages projectPath="/project" />,
  problem: (
    <>
      <Problem text="The list could not be read." onRetry={nothing} />
      <Problem text="The model example/none was not found. Run `dewpoint models list` to see your models." />
    </>
  ),
  'key-sign-in': <KeySignIn provider="openrouter" forThisRun={false} onDone={nothing} />,
  'sign-in-waiting': (
    <>
      <SignInWaiting open={null} openBrowser={null} finish={notNow} onCancel={nothing} />
      {['WDJB-MJHT', null].map((code) => (
        <SignInWaiting
          key={code}
          open={{
            url: `https://login.example.org/authorize?state=${long}`,
            by: 'login.example.org',
            scopes: ['read'],
            code,
          }}
          openBrowser={notNow}
          finish={notNow}
          onCancel={nothing}
        />
      ))}
    </>
  ),
  'project-hosts': <ProjectHosts projectPath="/project" />,
  'project-sign': (
    <div className="flex flex-wrap items-center gap-3">
      <ProjectSign icon={null} name="Notes" hasFolder />
      <ProjectSign icon={null} name="Notes" hasFolder={false} />
      <ProjectSign icon={{ text: '📚', color: 'gray' }} name="Books" hasFolder={false} />
      {iconColors.map((color) => (
        <ProjectSign key={color} icon={{ text: 'D', color }} name="Dewpoint" hasFolder isLarge />
      ))}
      <ProjectSign icon={{ text: '\u202e', color: 'red' }} name="Backwards" hasFolder isLarge />
    </div>
  ),
  'download-control': <Pulls />,
  'model-about': <ModelAbouts />,
  'model-line': <ModelLines />,
  'model-order-list': <ModelOrders />,
  'model-list': <OpenModels />,
  'model-picker': <PickedModels />,
  'ask-others': <AskedOtherModels />,
  'thinking-choice': <ThinkingChoices />,
  'chat-picker': <ChosenChats />,
  'ask-again': <AskingAgain />,
  'ask-again-button': <AskAgainButtons />,
  'asked-again-rows': <AskedAgainTable />,
  'prompt-fields': <AskedPrompts />,
  'dialog-frame': <FramedDialogs />,
  'route-dot': (
    <div className="flex items-center gap-3">
      <RouteDot where="local" />
      <RouteDot where="cloud" />
      <RouteDot where="local" outcome="running" />
      <RouteDot where="cloud" outcome="failed" />
      <RouteDot where="local" outcome="stopped" />
    </div>
  ),
  'seen-change': (
    <SeenChange text={deceiving} diff={'@@ -1 +1 @@\n-curl https://example.com\n+curl https://\u0435xample.com\n'} />
  ),
  'seen-text': (
    <>
      <SeenText pieces={seenPieces(deceiving)} />
      <p className="text-sm">
        <SeenPieces pieces={seenLine('if (isAdmin\u202E /* a comment')} />
      </p>
    </>
  ),
  'settings-parts': (
    <Group title="Group">
      <Choice
        label="Choice"
        hint="Choose another if this one does not fit."
        value="two"
        options={[
          { value: 'one', text: 'One' },
          { value: 'two', text: 'Two' },
        ]}
        onChange={nothing}
      />
      <Advanced label="What few change">
        <NumberSetting label="Number" value={12} onSave={nothing} />
      </Advanced>
      <TextSetting label="Text" hint="A hint." placeholder="http://proxy:8080" value={null} onSave={nothing} />
    </Group>
  ),
  suggestions: <Suggested />,
  tabs: <Tabbed />,
  'terminal-output': (
    <TerminalOutput
      command="pytest -q"
      text={`\u001b[32m12 passed\u001b[0m, \u001b[31;1m1 failed\u001b[0m\n${long}\n`}
    />
  ),
  'view-header': (
    <ViewHeader title="A view" text={`What it is for. ${long}`}>
      <Button look="primary">Begin</Button>
    </ViewHeader>
  ),
  'text-with-code': <TextWithCode text="Look at the models (`dewpoint models list`), and name one." />,
  'wide-content': (
    <WideContent>
      <p className="w-max text-sm whitespace-nowrap">{long}</p>
    </WideContent>
  ),
};
