import { closeSync, constants, openSync, readSync } from 'node:fs';
import { isCancel, select, text } from '@clack/prompts';

/** Asks for a text at the terminal. Returns null if the user cancels (Ctrl-C, Escape, Ctrl-D) or the input ends. */
export async function askText(message: string, initial = ''): Promise<string | null> {
  const answer = await abortOnInputEnd((signal) =>
    text({
      message,
      initialValue: initial,
      validate: (value) => (value?.trim() ? undefined : 'Enter a text'),
      signal,
    }),
  );
  return isCancel(answer) ? null : answer.trim();
}

export interface PromptChoice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Asks for one of several choices. Returns null like `askText`. */
export async function askChoice<T extends string>(
  message: string,
  choices: readonly PromptChoice<T>[],
): Promise<T | null> {
  const options = choices.map(({ value, label, hint }) => ({
    value: value as string,
    label,
    ...(hint === undefined ? {} : { hint }),
  }));
  const answer = await abortOnInputEnd((signal) => select({ message, options, signal }));
  return isCancel(answer) ? null : (answer as T);
}

/** The most reads of typed keys that are discarded, so that a terminal that sends keys without end does not block the prompt. */
const TYPED_READS_MAX = 1_000;

/**
 * Discards the keys typed so far. A person decides about what the screen shows, so keys typed before it was drawn must
 * not answer the next prompt. Raw mode comes first, because the terminal holds unfinished lines back without it.
 */
export function discardTypedKeys(): void {
  const { stdin } = process;
  if (stdin.isTTY !== true) return;
  stdin.setRawMode(true);
  try {
    const keys = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const dropped = Buffer.alloc(65_536);
      for (let reads = 0; reads < TYPED_READS_MAX && readSync(keys, dropped) > 0; reads += 1);
    } finally {
      closeSync(keys);
    }
  } catch {
    // A read fails once no key is left. Without `/dev/tty` there is no way to read without waiting.
  } finally {
    stdin.setRawMode(false);
  }
  while (stdin.readableLength > 0 && stdin.read() !== null);
}

/** Asks whether an irreversible action is intended. Returns false if no user is at the terminal. */
export async function confirm(isInteractive: boolean, message: string, label: string): Promise<boolean> {
  if (!isInteractive) return false;
  discardTypedKeys();
  const answer = await askChoice(message, [
    { value: 'no', label: 'No' },
    { value: 'yes', label },
  ]);
  return answer === 'yes';
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Cancels a prompt on Ctrl-D or at the end of the input. Otherwise the prompt would wait forever. */
async function abortOnInputEnd<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const onKey = (_: string | undefined, { name, ctrl }: Key): void => {
    if (ctrl === true && name === 'd') end();
  };
  const { stdin } = process;
  if (stdin.readableEnded) end();
  stdin.on('keypress', onKey).once('end', end);
  try {
    return await ask(controller.signal);
  } finally {
    stdin.off('keypress', onKey).off('end', end);
  }
}
