import { styleText } from 'node:util';

/** What a part of a line means; how that looks is decided here alone. */
export type Tone = 'good' | 'bad' | 'waits' | 'quiet' | 'strong' | 'name';

const STYLES = {
  good: 'green',
  bad: 'red',
  waits: 'yellow',
  quiet: 'dim',
  strong: 'bold',
  name: 'cyan',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** Where output goes, and whether a person or a program reads it. */
export interface Terminal {
  /** A program reads: standard output carries JSON and nothing else. */
  readonly json: boolean;
  /** A person sits there and can be asked. */
  readonly interactive: boolean;
  /** Lines can be drawn again in place. */
  readonly live: boolean;
  readonly columns: () => number;
  /** The result, to whoever reads: one line of JSON, or words. */
  show(value: unknown, words: () => string): void;
  /** One thing of a stream: a line of JSON, or words. */
  stream(value: unknown, words: () => string | null): void;
  /** Beside the result: progress, hints. Never on standard output, and not at all where a program reads. */
  note(words: (paint: Paint) => string): void;
  /** For what is shown as a result. */
  readonly paint: Paint;
}

export type Paint = (tone: Tone, text: string) => string;

export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
}

/** Plain text of a stream that has no colours, or whose reader wants none (`NO_COLOR`, `--no-color`). */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (tone, text) =>
    styleText(STYLES[tone], text, { stream });

export function openTerminal({ input, output, errors }: Streams, json: boolean): Terminal {
  const write = (text: string): void => void output.write(`${text}\n`);
  return {
    json,
    interactive: !json && input.isTTY === true && output.isTTY === true,
    live: !json && errors.isTTY === true,
    columns: () => output.columns || 100,
    show: (value, words) => write(json ? JSON.stringify(value) : words()),
    stream: (value, words) => {
      const text = json ? JSON.stringify(value) : words();
      if (text !== null) write(text);
    },
    note: (words) => {
      if (!json) errors.write(`${words(paintFor(errors))}\n`);
    },
    paint: paintFor(output),
  };
}
