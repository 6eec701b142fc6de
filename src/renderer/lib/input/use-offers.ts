import type { KeyboardEvent } from 'react';
import { useState } from 'react';

interface OfferedList<T> {
  /** The text in the field. */
  readonly text: string;
  readonly offers: readonly T[];
  readonly onChoose: (offer: T) => void;
  /** Enter is not for this offer, because it is already in the field. */
  readonly isTyped: (offer: T) => boolean;
}

/** A list that is open over a field. Arrows move in it, Tab and Enter choose, Escape closes it for this text. */
export function useOffers<T>({ text, offers, onChoose, isTyped }: OfferedList<T>) {
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const [wanted, setWanted] = useState(0);
  const shown = text === closedFor ? [] : offers;
  const selected = Math.min(wanted, Math.max(0, shown.length - 1));
  const choose = (offer: T): void => {
    setWanted(0);
    onChoose(offer);
  };
  /** True: the list has handled the key. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (shown.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const offer = shown[selected];
    if (step !== undefined) setWanted((selected + step + shown.length) % shown.length);
    else if (event.key === 'Escape') setClosedFor(text);
    else if ((event.key === 'Tab' || event.key === 'Enter') && offer !== undefined && !isTyped(offer)) choose(offer);
    else return false;
    event.preventDefault();
    return true;
  };
  return { shown, selected, choose, onKeyDown, closeFor: setClosedFor };
}
