/** Where the signs of life go, how to tell the time, and whether a line can be written over. */
export interface ProgressWorld {
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  readonly isTerminal: boolean;
}

export interface Progress {
  /** One more test file has ended. */
  ended(file: string): void;
}

/** In a log that keeps every line, a sign of life every so often is enough. */
const QUIET_MS = 5_000;

/** Tells whoever waits for the suite how far it is: which file, out of how many, after how long. */
export function progress(total: number, { write, nowMs, isTerminal }: ProgressWorld): Progress {
  const started = nowMs();
  let done = 0;
  let told = started;
  write(`running the whole suite: ${total} test files\n`);
  return {
    ended: (file) => {
      done += 1;
      const now = nowMs();
      const isLast = done === total;
      if (!isTerminal && !isLast && now - told < QUIET_MS) return;
      told = now;
      const line = `${done}/${total} ${Math.round((now - started) / 1000)} s ${file}`;
      // A terminal shows one line that changes; it is left standing at the end.
      write(isTerminal ? `\r\u001b[2K${line}${isLast ? '\n' : ''}` : `${line}\n`);
    },
  };
}
