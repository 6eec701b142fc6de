import { useRef, useState } from 'react';
import type { ModelOption, ModelPick } from '../../src/renderer/lib/models/model-options.ts';
import { Button } from '../../src/renderer/ui/controls/button.tsx';
import AskAgain from '../../src/renderer/ui/model-picker/ask-again.tsx';
import { AskAgainButton } from '../../src/renderer/ui/model-picker/ask-again-button.tsx';
import { AskedAgain } from '../../src/renderer/ui/model-picker/asked-again-rows.tsx';
import { AskOthersButton, AskOthersList } from '../../src/renderer/ui/model-picker/ask-others.tsx';
import { ModelAbout } from '../../src/renderer/ui/model-picker/model-about.tsx';
import { ModelLine } from '../../src/renderer/ui/model-picker/model-line.tsx';
import ModelList from '../../src/renderer/ui/model-picker/model-list.tsx';
import { ModelOrderList } from '../../src/renderer/ui/model-picker/model-order-list.tsx';
import { ModelPicker } from '../../src/renderer/ui/model-picker/model-picker.tsx';
import { ThinkingChoice } from '../../src/renderer/ui/model-picker/thinking-choice.tsx';
import { askedAgainSessions } from '../fakes/asked-again-scene.ts';
import { models } from '../fakes/page-scenes.ts';
import { long, nothing } from './samples.ts';

const [here, small, large, office] = models;
const ids = models.map(({ id }) => id);
const option = (model: (typeof models)[number] | undefined, state: 'no-key' | null = null): ModelOption | null =>
  model === undefined ? null : { type: 'model', key: model.id, name: model.label, model, state: state ?? model.state };
const options: readonly ModelOption[] = [
  { type: 'auto', key: 'auto:hybrid', policy: 'hybrid' } as const,
  option(here),
  option(small),
  option(large),
  option(large, 'no-key'),
  option(office),
  option(here === undefined ? undefined : { ...here, label: long }),
  { type: 'add-cloud', key: 'add-cloud' } as const,
].filter((one) => one !== null);

const fit = { fits: true, bytes: 2.3e9, reason: 'All layers fit on Example Card 12.' };
const noFit = { fits: false, bytes: 16.4e9, reason: 'It needs 16.4 GB, and 10.5 GB of the card are free.' };

export function ModelLines() {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <div role="listbox" aria-label="Models">
      {options.map((one, index) => (
        <ModelLine
          key={`${one.key}-${String(index)}`}
          id={`line-${String(index)}`}
          option={one}
          fit={one.type === 'model' && one.model.where === 'local' ? (index === 1 ? fit : noFit) : null}
          isMarked={index === 2}
          isPicked={index === 1}
          isDefault={index === 1}
          onChoose={nothing}
        />
      ))}
    </div>
  );
}

export function ModelOrders() {
  const [order, setOrder] = useState<readonly string[]>([...ids, 'gone/model']);
  return (
    <>
      <ModelOrderList label="Found" order={ids.slice(0, 2)} />
      <ModelOrderList label="Ordered" order={order} onChange={setOrder} />
    </>
  );
}

export function ModelAbouts() {
  const [starred, setStarred] = useState<readonly string[]>([]);
  return options
    .slice(0, 6)
    .map((one, index) => (
      <ModelAbout
        key={`${one.key}-${String(index)}`}
        handle={null}
        option={one}
        fit={index === 1 ? fit : index === 2 ? noFit : null}
        order={ids}
        isStarred={starred.includes(one.key)}
        onStar={(id, isStarred) => setStarred(isStarred ? [...starred, id] : starred.filter((other) => other !== id))}
      />
    ));
}

/** The list as it is open; it asks no core for what it shows here. */
export function OpenModels() {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button ref={anchor} type="button" onClick={() => setIsOpen(true)}>
        Open the list
      </button>
      {isOpen && (
        <ModelList
          anchor={anchor}
          usual={{ policy: 'local', local: here?.id ?? '', cloud: null, order: ids }}
          picked={{ type: 'model', where: 'local', id: here?.id ?? null }}
          onPick={() => setIsOpen(false)}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

export function PickedModels() {
  const [pick, setPick] = useState<ModelPick>({ policy: null });
  return (
    <div className="flex flex-wrap gap-2">
      <ModelPicker pick={pick} onPick={setPick} projectPath={null} />
      <ModelPicker pick={{ policy: 'hybrid' }} onPick={nothing} projectPath={null} />
      <ModelPicker pick={{ policy: 'cloud', cloud: large?.id ?? '' }} onPick={nothing} projectPath={null} />
    </div>
  );
}

export function AskedOtherModels() {
  const [picks, setPicks] = useState<readonly ModelPick[]>([{ policy: 'cloud', cloud: large?.id ?? '' }]);
  const asking = { pick: { policy: null }, projectPath: null } as const;
  return (
    <>
      {([null, 'work', 'words', 'running'] as const).map((refusal) => (
        <div key={refusal ?? 'none'}>
          <AskOthersList others={{ picks, setPicks, refusal, isHeld: refusal !== null }} {...asking} />
          <AskOthersButton others={{ picks: [], setPicks: nothing, refusal, isHeld: false }} {...asking} />
        </div>
      ))}
    </>
  );
}

export function ThinkingChoices() {
  const [pick, setPick] = useState<ModelPick>({ policy: 'local' });
  const usual = { policy: 'local', local: here?.id ?? '', cloud: null, order: ids } as const;
  const picked = { type: 'model', where: 'local', id: here?.id ?? null } as const;
  return <ThinkingChoice pick={pick} onPick={setPick} models={models} picked={picked} usual={usual} />;
}

/** The dialog in which another model is asked the requests of a session. */
export function AskingAgain() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Ask another model</Button>
      {isOpen && <AskAgain sessionIds={['session']} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** The ways to it. */
export const AskAgainButtons = () => (
  <div className="flex gap-2">
    <AskAgainButton label="Ask another model…" sessionIds={['session']} />
    <AskAgainButton label="Ask another model what was asked…" sessionIds={null} isDisabled />
  </div>
);

/** What it did with them. */
export const AskedAgainTable = () => (
  <>
    <AskedAgain asked={askedAgainSessions.slice(0, 1)} isMany={false} />
    <AskedAgain asked={askedAgainSessions} isMany />
  </>
);
