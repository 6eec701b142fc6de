import { useEffect, useState } from 'react';

/** Long enough that a key or click meant for something else cannot answer. */
const guardMs = 500;

/** False for a moment after a question appears, and after the window gets the focus back. */
export function useIsAnswerable(): boolean {
  const [isAnswerable, setIsAnswerable] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const guard = (): void => {
      clearTimeout(timer);
      setIsAnswerable(false);
      timer = setTimeout(() => setIsAnswerable(true), guardMs);
    };
    guard();
    window.addEventListener('focus', guard);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', guard);
    };
  }, []);
  return isAnswerable;
}
