/** Where the signs of life go, how to tell the time, and whether a line can be written over. */
export interface ProgressWorld {
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  readonly isTerminal: boolean;
}

export interface Progress {
  started(file: string): void;
  ended(file: string): void;
  /** Time has passed: a sign of life is due, even where no file has ended. */
  tick(): void;
}

/** In a log that keeps every line, a sign of life every so often is enough. */
const QUIET_MS = 5_000;

/** Tells whoever waits for the suite how far it is: how many files of how many, after how long, and what runs now. */
export function progress(total: number, { write, nowMs, isTerminal }: ProgressWorld): Progress {
  const begin = nowMs();
  const running = new Set<string>();
  let done = 0;
  let told = begin;
  const tell = (): void => {
    told = nowMs();
    const line = [`${done}/${total}`, `${Math.round((told - begin) / 1000)} s`, ...running].join(' ');
    // A terminal shows one line that changes; it is left standing at the end.
    write(isTerminal ? `\r\u001b[2K${line}${done === total ? '\n' : ''}` : `${line}\n`);
  };
  const tick = (): void => {
    if (isTerminal || nowMs() - told >= QUIET_MS) tell();
  };
  write(`running the whole suite: ${total} test files\n`);
  return {
    started: (file) => void running.add(file),
    ended: (file) => {
      running.delete(file);
      done += 1;
      if (done === total) tell();
      else tick();
    },
    tick,
  };
}
