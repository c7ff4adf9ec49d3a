/** Output, clock, and whether the output is a terminal, on which a line can be overwritten. */
export interface ProgressWorld {
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  readonly isTerminal: boolean;
}

export interface Progress {
  started(file: string): void;
  ended(file: string): void;
  /** Reports progress if it is due, even if no file has ended. */
  tick(): void;
}

/** Shortest time between two lines in a log. */
const QUIET_MS = 5_000;

/** Reports the progress of the suite: files done and total, seconds, and running files. */
export function progress(total: number, { write, nowMs, isTerminal }: ProgressWorld): Progress {
  const begin = nowMs();
  const running = new Set<string>();
  let done = 0;
  let lastAt = begin;
  const print = (): void => {
    lastAt = nowMs();
    const line = [`${done}/${total}`, `${Math.round((lastAt - begin) / 1000)} s`, ...running].join(' ');
    // A terminal shows one line that is overwritten; the last one stays.
    write(isTerminal ? `\r\u001b[2K${line}${done === total ? '\n' : ''}` : `${line}\n`);
  };
  const tick = (): void => {
    if (isTerminal || nowMs() - lastAt >= QUIET_MS) print();
  };
  write(`running ${total} test files\n`);
  return {
    started: (file) => void running.add(file),
    ended: (file) => {
      running.delete(file);
      done += 1;
      if (done === total) print();
      else tick();
    },
    tick,
  };
}
