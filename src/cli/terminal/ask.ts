import { isCancel, select, text } from '@clack/prompts';

/** Questions to the person at the terminal. Null where they turn away (Ctrl-C, Escape, Ctrl-D, nobody there any more). */
export async function askText(message: string, initial = ''): Promise<string | null> {
  const answer = await untilGone((signal) =>
    text({
      message,
      initialValue: initial,
      validate: (value) => (value?.trim() ? undefined : 'say something'),
      signal,
    }),
  );
  return isCancel(answer) ? null : answer.trim();
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export async function askChoice<T extends string>(message: string, choices: readonly Choice<T>[]): Promise<T | null> {
  const options = choices.map(({ value, label, hint }) => ({
    value: value as string,
    label,
    ...(hint === undefined ? {} : { hint }),
  }));
  const answer = await untilGone((signal) => select({ message, options, signal }));
  return isCancel(answer) ? null : (answer as T);
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** A prompt waits for ever where the input has ended: whoever says so (Ctrl-D), or is gone, has turned away as well. */
async function untilGone<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const end = (): void => gone.abort();
  const key = (_: string | undefined, { name, ctrl }: Key): void => {
    if (ctrl === true && name === 'd') end();
  };
  const { stdin } = process;
  if (stdin.readableEnded) end();
  stdin.on('keypress', key).once('end', end);
  try {
    return await ask(gone.signal);
  } finally {
    stdin.off('keypress', key).off('end', end);
  }
}
