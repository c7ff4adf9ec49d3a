import type { JsonObject } from '../model/json.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One line: what happened, and to what. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: JsonObject;
}

/** Where lines for operators go. It must neither fail nor wait. */
export type LogSink = (line: LogLine) => void;

/** What a tool's code writes to: every line already says which run, step and tool it is from. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: JsonObject) => void>>;
