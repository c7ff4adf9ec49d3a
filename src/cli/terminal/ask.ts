import { isCancel, select, text } from '@clack/prompts';

/** Questions to the person at the terminal. Null where they turn away (Ctrl-C, Escape). */
export async function askText(message: string, initial = ''): Promise<string | null> {
  const answer = await text({
    message,
    initialValue: initial,
    validate: (value) => (value?.trim() ? undefined : 'say something'),
  });
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
  const answer = await select({ message, options });
  return isCancel(answer) ? null : (answer as T);
}
