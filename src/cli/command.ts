import type { Json, JsonObject } from '../index.ts';
import type { Reads } from './flag-values.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What can be offered for a word when somebody presses the tab key. */
export type Completes = 'session' | 'gate' | 'agent' | 'file' | 'folder';

/** A word after the name of a command. */
export interface Word {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  readonly completes?: Completes;
  readonly choices?: readonly string[];
}

/** An option, as `--goal <text>` or `--yes`. */
export interface Flag {
  readonly flag: string;
  readonly about: string;
  /** May be given more than once. */
  readonly many?: true;
  readonly choices?: readonly string[];
  /** What its value has to be; any text, unless said. */
  readonly reads?: Reads;
  readonly completes?: Completes;
}

export interface Example {
  readonly line: string;
  readonly about: string;
}

/** One command: what it is called, what it takes, and where to find what it does, which is loaded when it is called. */
export interface Command {
  /** One word, or two for a command of a group: `sessions list`. */
  readonly name: string;
  readonly about: string;
  readonly words?: readonly Word[];
  readonly flags?: readonly Flag[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<Action>;
}

/** What a command is called with. */
export interface Call {
  readonly words: Readonly<Record<string, string>>;
  readonly flags: Flags;
  readonly terminal: Terminal;
  /** The file of `--config`; null where it is looked for. */
  readonly configFile: string | null;
}

/** Does it, and says with which code the process ends. */
export type Action = (call: Call) => Promise<number>;

export type Flags = Readonly<Record<string, unknown>>;

export function textOf(flags: Flags, name: string): string | null {
  const value = flags[name];
  return typeof value === 'string' ? value : null;
}

export function numberOf(flags: Flags, name: string): number | null {
  const value = flags[name];
  return typeof value === 'number' ? value : null;
}

/** What was given as `name=value`, once or several times: `order_id=ord_881`, `items=[1,2]`. */
export const valuesOf = (flags: Flags, name: string): JsonObject =>
  Object.fromEntries((flags[name] ?? []) as readonly (readonly [string, Json])[]);

export function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export const isOn = (flags: Flags, name: string): boolean => flags[name] === true;
