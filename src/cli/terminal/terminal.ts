import { styleText } from 'node:util';

/** The meaning of a part of a line. Only this file maps it to a color. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'accent';

const STYLES = {
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  quiet: 'dim',
  strong: 'bold',
  accent: 'cyan',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** The output of a command, for a person or (`isJson`) for a program. */
export interface CliTerminal {
  /** With `--json`, standard output carries only JSON. */
  readonly isJson: boolean;
  /** A user is at the terminal and can answer prompts. */
  readonly isInteractive: boolean;
  /** Lines on standard error can be redrawn in place. */
  readonly isLive: boolean;
  readonly columns: () => number;
  /** Prints the result: one line of JSON, or text. */
  show(value: unknown, text: () => string): void;
  /** Prints one item of a stream: one line of JSON, or text. */
  stream(value: unknown, text: () => string | null): void;
  /** Prints progress or a hint to standard error. Prints nothing with `--json`. */
  note(text: (paint: Paint) => string): void;
  /** Colors text for standard output. */
  readonly paint: Paint;
}

export type Paint = (tone: Tone, text: string) => string;

export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
}

/** Colors text for a stream. Returns plain text if the stream has no colors or the user disabled them. */
export const createPaint =
  (stream: NodeJS.WriteStream): Paint =>
  (tone, text) =>
    styleText(STYLES[tone], text, { stream });

export function openTerminal({ input, output, errors }: Streams, isJson: boolean): CliTerminal {
  const write = (text: string): void => void output.write(`${text}\n`);
  return {
    isJson,
    isInteractive: !isJson && input.isTTY === true && output.isTTY === true,
    isLive: !isJson && errors.isTTY === true,
    columns: () => output.columns || 100,
    show: (value, text) => write(isJson ? JSON.stringify(value) : text()),
    stream: (value, text) => {
      const line = isJson ? JSON.stringify(value) : text();
      if (line !== null) write(line);
    },
    note: (text) => {
      if (!isJson) errors.write(`${text(createPaint(errors))}\n`);
    },
    paint: createPaint(output),
  };
}
