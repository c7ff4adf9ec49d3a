import { parseArgs } from 'node:util';

/** What an example was called with. */
export interface Line {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly words: readonly string[];
}

/** Null where nothing is left to do: the page was asked for, or the line cannot be read and that has been said. */
export function readLine(command: string, help: string, names: readonly string[]): Line | null {
  const flags = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: names.length > 0,
      options: { ...flags, help: { type: 'boolean' } },
    });
    const { help: wanted, ...given } = values as Readonly<Record<string, string | undefined>> & { help?: boolean };
    if (wanted !== true) return { values: given, words: positionals };
    console.log(help);
  } catch (error) {
    // What follows the first sentence explains arguments that no example takes.
    const [why] = error instanceof Error ? error.message.split(/\.(?:\s|$)/) : [];
    console.error(`${command}: ${why}; it takes ${[...names, 'help'].map((name) => `--${name}`).join(', ')}`);
    process.exitCode = 2;
  }
  return null;
}
