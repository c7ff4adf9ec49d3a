import { type ParseArgsConfig, parseArgs } from 'node:util';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Flags> = ReturnType<typeof parseArgs<{ options: T; strict: true; args: string[] }>>['values'];

/** A command: its name, its flags and its help page. */
export interface Command<T extends Flags> {
  /** The name as typed, such as `npm run simulate`. */
  readonly name: string;
  readonly help: string;
  readonly flags: T;
}

type Reading<T extends Flags> =
  | { readonly kind: 'values'; readonly values: Values<T> }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly line: string };

/** The parsed options, the help page, or an error message. */
function readOptions<T extends Flags>(command: Command<T>, args: readonly string[]): Reading<T> {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help', text: command.help };
  try {
    const { values } = parseArgs({ options: command.flags, strict: true, args: [...args] });
    return { kind: 'values', values };
  } catch (error) {
    return { kind: 'refused', line: refusal(command, firstSentence(error)) };
  }
}

/** The options of this process. Exits with 0 after printing the help page, and with 2 after invalid options. */
export function optionsOf<T extends Flags>(command: Command<T>): Values<T> {
  const reading = readOptions(command, process.argv.slice(2));
  if (reading.kind === 'values') return reading.values;
  if (reading.kind === 'help') {
    console.log(reading.text);
    process.exit(0);
  }
  console.error(reading.line);
  process.exit(2);
}

/** The integer value of a flag, at least `min`; exits if it is invalid. */
export function wholeNumber(command: Command<Flags>, flag: string, text: string, min: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= min) return value;
  console.error(`${command.name}: --${flag} needs an integer of at least ${min}, not ${JSON.stringify(text)}`);
  process.exit(2);
}

/** The value of a flag that takes one of several words; exits if it is invalid. */
export function oneOf<T extends string>(command: Command<Flags>, flag: string, text: string, words: readonly T[]): T {
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  console.error(`${command.name}: --${flag} must be ${words.join(' or ')}, not ${JSON.stringify(text)}`);
  process.exit(2);
}

function refusal({ name, flags }: Command<Flags>, why: string): string {
  const known = [...Object.keys(flags), 'help'].map((flag) => `--${flag}`).join(', ');
  return `${name}: ${why}; options are ${known}`;
}

/** The rest of the runtime's message explains positional arguments, which no command here takes. */
function firstSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split(/\.(?:\s|$)/)[0] ?? text;
}
