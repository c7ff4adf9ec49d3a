/** Does one thing after the other, in the order in which it was asked. What fails holds up nobody. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Where nobody else is at it, whoever asks begins at once. */
export function oneAtATime(): InTurn {
  const waiting: (() => void)[] = [];
  let busy = false;
  return async (work) => {
    if (busy) await new Promise<void>((goOn) => waiting.push(goOn));
    busy = true;
    try {
      return await work();
    } finally {
      // Handed on rather than given back: whoever asks just now comes after those who wait.
      const next = waiting.shift();
      if (next === undefined) busy = false;
      else next();
    }
  };
}
