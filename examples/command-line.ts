import { parseArgs } from 'node:util';

/** The parsed command line of an example. */
export interface CommandLine {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly words: readonly string[];
}

/** Parses the command line. Null if there is nothing left to do, after printing the help page or an error. */
export function readLine(command: string, help: string, names: readonly string[]): CommandLine | null {
  const flags = Object.fromEntries(names.map((name) => [name, { type: 'string' } as const]));
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: names.length > 0,
      options: { ...flags, help: { type: 'boolean' } },
    });
    const { help: wanted, ...rest } = values as Readonly<Record<string, string | undefined>> & { help?: boolean };
    if (wanted !== true) return { values: rest, words: positionals };
    console.log(help);
  } catch (error) {
    // The rest of the message explains positional arguments, which no example takes.
    const [why] = error instanceof Error ? error.message.split(/\.(?:\s|$)/) : [];
    console.error(`${command}: ${why}; options are ${[...names, 'help'].map((name) => `--${name}`).join(', ')}`);
    process.exitCode = 2;
  }
  return null;
}
