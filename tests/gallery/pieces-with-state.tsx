import type { ReactNode } from 'react';
import { useEffect, useId, useState } from 'react';
import { announce } from '../../src/renderer/lib/notices/announce.ts';
import { useClient } from '../../src/renderer/lib/connection/core-context.ts';
import { startModelDownload } from '../../src/renderer/lib/models/model-downloads.ts';
import type { PreviewedFiles } from '../../src/renderer/lib/input/use-attachment-preview.ts';
import type { Attachments } from '../../src/renderer/lib/input/use-attachments.ts';
import { AnnouncementBar } from '../../src/renderer/ui/notices/announcement.tsx';
import { Button } from '../../src/renderer/ui/controls/button.tsx';
import { DialogFrame } from '../../src/renderer/ui/layout/dialog-frame.tsx';
import PromptFields from '../../src/renderer/ui/controls/prompt-fields.tsx';
import ChatPicker from '../../src/renderer/ui/controls/chat-picker.tsx';
import type { AttachmentPreview } from '@shared/attachments/attachment-inputs.ts';
import { UnseenPictures } from '../../src/renderer/ui/controls/unseen-pictures.tsx';
import { MessageField } from '../../src/renderer/ui/controls/message-field.tsx';
import { DownloadControl } from '../../src/renderer/ui/controls/download-control.tsx';
import { Suggestions } from '../../src/renderer/ui/controls/suggestions.tsx';
import { QuietSelect } from '../../src/renderer/ui/controls/select.tsx';
import { Tabs } from '../../src/renderer/ui/layout/tabs.tsx';
import { long, notes, nothing, screenshot } from './samples.ts';

const model = { id: 'here/small', label: 'Small model', where: 'local', images: false } as const;
const seeing = { id: 'here/eyes', label: 'Model with eyes', where: 'local', images: true } as const;

const cutFiles: PreviewedFiles = {
  preview: {
    models: [model],
    files: [
      {
        attachment: notes,
        isMentioned: false,
        bytes: 50_000,
        shownBytes: 8_500,
        lines: { all: 1200, shown: 210 },
        pages: null,
      },
    ],
    notes: [
      '@other.bin was not attached: other.bin is neither text, a PDF, a Word or Excel file, nor a supported image.',
    ],
    unseen: { seeing: [seeing] },
  },
  problem: null,
  isPending: false,
  isHeld: true,
};

const tooLarge = new File([], 'photo.png');

export function Typing() {
  const id = useId();
  const [text, setText] = useState('Look at @src and say what is wrong.');
  const attachments: Attachments = {
    list: [notes],
    problems: [{ file: tooLarge, text: 'photo.png is larger than 5 MB.', canShrink: true }],
    isBusy: false,
    choice: null,
    reading: { name: 'export.zip', stop: nothing },
    add: nothing,
    addKept: nothing,
    addResource: nothing,
    addSession: nothing,
    remove: nothing,
    shrink: nothing,
    dismiss: nothing,
    clear: nothing,
  };
  return (
    <MessageField
      id={id}
      label="Message"
      placeholder="What would you like to do?"
      text={text}
      onText={setText}
      rows={[2, 6]}
      attachments={attachments}
      place={null}
      files={cutFiles}
      onModel={nothing}
      end={
        <Button type="submit" look="primary">
          Send
        </Button>
      }
    >
      <QuietSelect text="Thinking" aria-label="Thinking" defaultValue="">
        <option value="">Thinking</option>
        <option value="high">Thinking: high</option>
      </QuietSelect>
    </MessageField>
  );
}

export function Tabbed() {
  const [selected, setSelected] = useState<'one' | 'two'>('one');
  return (
    <div className="h-40">
      <Tabs
        label="Tabs"
        tabs={[
          { id: 'one', label: 'One' },
          { id: 'two', label: 'Two', count: 3 },
        ]}
        selected={selected}
        onSelect={setSelected}
        corner={null}
      >
        <p>{selected}</p>
      </Tabs>
    </div>
  );
}

export function Announced() {
  const say = (): void => announce({ kind: 'info', text: 'It was done.', action: { label: 'Undo', run: nothing } });
  useEffect(say, []);
  return (
    <div className="h-24">
      <Button onClick={say}>Announce</Button>
      <AnnouncementBar />
    </div>
  );
}

/** Offered, running and ended badly. */
export function Pulls() {
  const client = useClient();
  useEffect(() => {
    for (const id of ['example/large', 'example/gone']) void startModelDownload(client, id);
  }, [client]);
  return ['example/small', 'example/large', 'example/gone'].map((id) => <DownloadControl key={id} id={id} />);
}

export function Suggested() {
  const id = useId();
  return (
    <div className="relative mt-24">
      <Suggestions
        id={id}
        label="Suggestions"
        selected={0}
        items={[
          { key: 'one', content: <NameAndText name="/local" text="Stay on this machine" />, choose: nothing },
          { key: 'two', content: <NameAndText name="/cloud" text={long} />, choose: nothing },
        ]}
      />
    </div>
  );
}

function NameAndText({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <span className="font-mono text-xs">{name}</span>
      <span className="truncate text-xs text-soft">{text}</span>
    </>
  );
}

export function Broken(): ReactNode {
  throw new Error('This part of the page is broken, as it is meant to be here.');
}

/** A click opens it over the page, as in the window. */
export function ChosenChats() {
  const [isOpen, setIsOpen] = useState(false);
  const chat = { app: 'Claude', startedMs: null, changedMs: null, messages: 12, bytes: 4200 } as const;
  const conversations = ['A week in Lisbon', 'Letter to the landlord'].map((title) => ({ ...chat, id: title, title }));
  const choice = {
    file: new File([], 'conversations.json'),
    listing: { unread: 1, conversations },
    take: nothing,
    takeWhole: nothing,
    close: () => setIsOpen(false),
  };
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Choose conversations</Button>
      {isOpen && <ChatPicker choice={choice} room={1} />}
    </>
  );
}

/** A prompt of a tool server whose arguments are asked for. */
export function AskedPrompts() {
  const [isOpen, setIsOpen] = useState(false);
  const prompt = {
    server: 'notes',
    name: 'summary',
    title: 'Summary of a week',
    about: long,
    arguments: [
      { name: 'week', about: 'Its number, as 47.', isRequired: true },
      { name: 'language', isRequired: false },
    ],
  };
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Fill in a prompt</Button>
      {isOpen && (
        <PromptFields
          prompt={prompt}
          take={() => Promise.reject(new Error('The server notes has ended.'))}
          close={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

/** The frame that small dialogs share. */
export function FramedDialogs() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Open a dialog</Button>
      {isOpen && (
        <DialogFrame title="A short title" about={long} onClose={() => setIsOpen(false)}>
          <p>{long}</p>
        </DialogFrame>
      )}
    </>
  );
}

/** A message for a model that sees nothing, and pages that are sent to one that sees. */
export function UnseenKinds() {
  const file = { attachment: screenshot, isMentioned: false, bytes: 1, shownBytes: 1, lines: null, pages: null };
  const whole: AttachmentPreview = { models: [model], files: [file], notes: [], unseen: null };
  const previews: readonly AttachmentPreview[] = [
    { ...whole, unseen: { seeing: [seeing] } },
    { ...whole, unseen: { seeing: [] }, couldSee: [model] },
    { ...whole, scans: { pages: 3, drawn: 3, tokens: 0, seeing: [seeing] } },
    { ...whole, scans: { pages: 30, drawn: 8, tokens: 8192, seeing: null } },
  ];
  return previews.map((preview) => (
    <UnseenPictures
      key={JSON.stringify(preview)}
      attachments={{ list: [], remove: nothing }}
      files={{ preview }}
      onModel={nothing}
      text=""
      onText={nothing}
    />
  ));
}
